import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { createBatcher } from '../lib/batch';

const BATCH_SIZE = 500;

export interface Counted {
  allowed: boolean;
  remaining: number;
  msBeforeNext: number;
}

/** Counts a request or a failure of `key`, or `amount` of them, and returns whether all were within the limit. */
export type Count = (key: string, amount?: number) => Promise<Counted>;

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

  /** Counts the amounts of one key, in order: an amount that does not fit into the rest of the limit is refused. */
  async function consume(key: string, amounts: number[]): Promise<Counted[]> {
    const total = amounts.reduce((sum, amount) => sum + amount, 0);
    const counted = await limiter.consume(key, total).catch((rejected: unknown) => {
      if (rejected instanceof RateLimiterRes) return rejected;
      throw rejected;
    });
    // 0 consumed points: refused from memory.
    const before = counted.consumedPoints === 0 ? points : counted.consumedPoints - total;
    let remaining = Math.max(0, points - before);
    return amounts.map((amount) => {
      const allowed = amount <= remaining;
      if (allowed) remaining -= amount;
      return { allowed, remaining, msBeforeNext: counted.msBeforeNext };
    });
  }

  // All requests of a project update one row: those that arrive during an update share the next one.
  const batcher = createBatcher<{ key: string; amount: number }, Counted>(
    async (given) => {
      const amounts = new Map<string, number[]>();
      for (const { key, amount } of given) amounts.set(key, [...(amounts.get(key) ?? []), amount]);
      const counted = new Map(
        await Promise.all([...amounts].map(async ([key, all]) => [key, await consume(key, all)] as const)),
      );
      return given.map(({ key }) => counted.get(key)?.shift() as Counted);
    },
    { size: BATCH_SIZE },
  );
  return (key, amount = 1) => batcher.write({ key, amount });
}

/** Counters of one name, whose limit can differ from key to key. */
export function createRateLimiters(
  pool: pg.Pool,
  { name, seconds }: { name: string; seconds: number },
): (points: number) => Count {
  const byPoints = new Map<number, Count>();
  return (points) => {
    const existing = byPoints.get(points);
    if (existing) return existing;
    const count = createRateLimiter(pool, { name, points, seconds });
    byPoints.set(points, count);
    return count;
  };
}

/** The value of Retry-After: whole seconds, at least one. */
export function retryAfterSeconds({ msBeforeNext }: Pick<Counted, 'msBeforeNext'>): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1000));
}
