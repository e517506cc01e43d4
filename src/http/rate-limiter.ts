import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { createBatcher } from '../lib/batch';

const BATCH_SIZE = 500;

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

  /** Counts `count` requests of one key, in order: the first ones are within the limit, the others are not. */
  async function consume(key: string, count: number): Promise<Counted[]> {
    try {
      const { remainingPoints, msBeforeNext } = await limiter.consume(key, count);
      return Array.from({ length: count }, (_, index) => ({
        allowed: true,
        remaining: Math.max(0, remainingPoints) + count - 1 - index,
        msBeforeNext,
      }));
    } catch (rejected) {
      if (!(rejected instanceof RateLimiterRes)) throw rejected;
      const { consumedPoints, msBeforeNext } = rejected;
      // 0 consumed points: refused from memory.
      const allowed = consumedPoints === 0 ? 0 : Math.max(0, points - (consumedPoints - count));
      return Array.from({ length: count }, (_, index) => ({
        allowed: index < allowed,
        remaining: Math.max(0, allowed - 1 - index),
        msBeforeNext,
      }));
    }
  }

  // All requests of a project update one row: those that arrive during an update share the next one.
  const batcher = createBatcher<string, Counted>(
    async (keys) => {
      const counts = new Map<string, number>();
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      const counted = new Map(
        await Promise.all([...counts].map(async ([key, count]) => [key, await consume(key, count)] as const)),
      );
      return keys.map((key) => counted.get(key)?.shift() as Counted);
    },
    { size: BATCH_SIZE },
  );
  return (key) => batcher.write(key);
}

/** The value of Retry-After: whole seconds, at least one. */
export function retryAfterSeconds({ msBeforeNext }: Pick<Counted, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
