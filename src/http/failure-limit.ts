import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** Counts a failure of `key`. Returns the seconds to wait if it has failed too often in the window, else null. */
export type RecordFailure = (key: string) => Promise<number | null>;

/**
 * A rate limit that counts only failures, so that successful requests are never throttled. Shared by all processes in
 * Postgres.
 */
export function createFailureLimit(
  pool: pg.Pool,
  name: string,
  points: number,
  seconds: number,
): RecordFailure {
  const limiter = new RateLimiterPostgres({
    storeClient: pool,
    storeType: 'pool',
    tableName: 'request_counters',
    tableCreated: true,
    clearExpiredByTimeout: false,
    keyPrefix: name,
    points,
    duration: seconds,
    inMemoryBlockOnConsumed: points + 1,
  });
  return async (key) => {
    try {
      await limiter.consume(key);
      return null;
    } catch (rejected) {
      if (rejected instanceof RateLimiterRes) return Math.max(1, Math.ceil(rejected.msBeforeNext / 1000));
      throw rejected;
    }
  };
}
