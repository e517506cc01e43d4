import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

/** Seconds to wait where `key` has failed too often in the window, or null. Counts this failure. */
export type NoteFailure = (key: string) => Promise<number | null>;

/** Counts failures only: what succeeds is never slowed by the failures of others. Shared in Postgres. */
export function createFailureLimit(
  pool: pg.Pool,
  name: string,
  points: number,
  seconds: number,
): NoteFailure {
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
