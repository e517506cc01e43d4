import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';

export interface Counted {
  allowed: boolean;
  remaining: number;
  msBeforeNext: number;
}

/** Counts a request or a failure of `key` and returns whether it was within the limit. */
export type Count = (key: string) => Promise<Counted>;

/**
 * A fixed-window rate limiter, counted in Postgres so that all processes agree. Once a key exceeds its limit, the
 * process refuses it from memory until the window ends.
 */
export function createRateLimiter(
  pool: pg.Pool,
  { name, points, seconds }: { name: string; points: number; seconds: number },
): Count {
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
      const { remainingPoints, msBeforeNext } = await limiter.consume(key);
      return { allowed: true, remaining: Math.max(0, remainingPoints), msBeforeNext };
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      return { allowed: false, remaining: 0, msBeforeNext: rejected.msBeforeNext };
    }
  };
}

/** The value of Retry-After: whole seconds, at least one. */
export function retryAfterSeconds({ msBeforeNext }: Pick<Counted, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
