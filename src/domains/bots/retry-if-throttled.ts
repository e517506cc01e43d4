import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from './platform-error';

/** The caller holds an update's lease or a worker slot, so it schedules longer waits itself. */
const MAX_WAIT_MS = 3_000;
const DEFAULT_WAIT_MS = 1_000;

/** Waits and retries once after a 429 with a short `Retry-After`; throws any other error. */
export async function retryIfThrottled<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== 'rate_limited') throw error;
    const waitMs = error.retryAfterMs ?? DEFAULT_WAIT_MS;
    if (waitMs > MAX_WAIT_MS) throw error;
    await sleep(waitMs);
    return call();
  }
}
