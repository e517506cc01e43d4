import type pg from 'pg';
import { createRateLimiter, retryAfterSeconds } from './rate-limiter';

/** Counts a failure of `key`. Returns the seconds to wait if it has failed too often in the window, else null. */
export type RecordFailure = (key: string) => Promise<number | null>;

/** A rate limit that counts only failures, so that successful requests are never throttled. */
export function createFailureLimit(
  pool: pg.Pool,
  name: string,
  points: number,
  seconds: number,
): RecordFailure {
  const count = createRateLimiter(pool, { name, points, seconds });
  return async (key) => {
    const counted = await count(key);
    return counted.allowed ? null : retryAfterSeconds(counted);
  };
}
