import { randomInt } from 'node:crypto';
import { bindOnce } from '../../src/base/lib/ports';

/**
 * For a server of another process, which binds its port later or again: below the ports that the system gives to outgoing
 * connections and to servers without a port of their own, so that none of them takes it meanwhile.
 */
export async function stablePort(): Promise<number> {
  for (;;) {
    const port = await bindOnce(randomInt(20_000, 32_000)).catch(() => null);
    if (port !== null) return port;
  }
}
