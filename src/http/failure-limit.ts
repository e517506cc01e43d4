import type pg from 'pg';
import { createRateLimiter, retryAfterSeconds } from './rate-limiter';

/** Seconds to wait where `key` has failed too often in the window, or null. Counts this failure. */
export type NoteFailure = (key: string) => Promise<number | null>;

/** Counts failures only: a request that succeeds is never slowed by the failures of others. */
export function createFailureLimit(
  pool: pg.Pool,
  name: string,
  points: number,
  seconds: number,
): NoteFailure {
  const count = createRateLimiter(pool, { name, points, seconds });
  return async (key) => {
    const counted = await count(key);
    return counted.allowed ? null : retryAfterSeconds(counted);
  };
}
