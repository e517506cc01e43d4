import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from './platform-error';

/** Longer waits are the caller's to plan: it holds a user's update or a worker's slot meanwhile. */
const SHORT_MS = 3_000;
const UNTOLD_MS = 1_000;

/** Obeys a short "too many requests" once and calls again; everything else is the caller's. */
export async function afterShortWait<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof PlatformError) || error.reason !== 'rate_limited') throw error;
    const waitMs = error.retryAfterMs ?? UNTOLD_MS;
    if (waitMs > SHORT_MS) throw error;
    await sleep(waitMs);
    return call();
  }
}
