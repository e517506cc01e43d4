import { setTimeout as sleep } from 'node:timers/promises';

/** What "within a second" may take, measured from its cause on a machine that does other things as well. */
export const ABOUT_A_SECOND_MS = 2_000;

/**
 * Repeats `check` until it returns a truthy value, and returns it. On timeout it throws the last error of `check`, so
 * assertions can be used inside.
 */
export async function eventually<T>(check: () => Promise<T> | T, limitMs = 20_000): Promise<NonNullable<T>> {
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
