import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For effects of a signal or a notification. Shorter than the long polls, leases and timeouts (20 seconds and more) that
 * would cause the same without it; not a measure of speed.
 */
export const SOON_MS = 18_000;

/**
 * Repeats `check` until it returns a truthy value, and returns it. On timeout it throws the last error of `check`, so
 * assertions can be used inside.
 */
export async function eventually<T>(check: () => Promise<T> | T, limitMs = 45_000): Promise<NonNullable<T>> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    let reason: unknown;
    try {
      const value = await check();
      if (value) return value as NonNullable<T>;
      reason = new Error(`still ${String(value)} after ${limitMs} ms`);
    } catch (error) {
      reason = error;
    }
    if (Date.now() > deadline) throw reason;
    await sleep(25);
  }
}
