import type { TestServers } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  await (globalThis as TestServers).stopTestServers?.();
}
