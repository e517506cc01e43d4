import type pg from 'pg';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { limits } from '../contract/limits';
import type { Project } from '../projects/contract';

export interface LimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds. */
  reset: number;
  retryAfter: number;
}

export type TakeRequest = (project: Pick<Project, 'id' | 'requests_per_minute'>) => Promise<LimitState>;

/**
 * Counts the requests per minute of each project in Postgres, so that several API processes agree. Once a project is
 * over its limit, the process refuses its requests from memory until the window ends.
 */
export function createProjectLimit(pool: pg.Pool): TakeRequest {
  const byPoints = new Map<number, RateLimiterPostgres>();

  function limiterFor(points: number): RateLimiterPostgres {
    const known = byPoints.get(points);
    if (known) return known;
    const limiter = new RateLimiterPostgres({
      storeClient: pool,
      storeType: 'pool',
      tableName: 'request_counters',
      tableCreated: true,
      clearExpiredByTimeout: false,
      keyPrefix: 'requests',
      points,
      duration: 60,
      inMemoryBlockOnConsumed: points + 1,
    });
    byPoints.set(points, limiter);
    return limiter;
  }

  return async ({ id, requests_per_minute }) => {
    const limit = requests_per_minute ?? limits.requestsPerMinute;
    const { result, allowed } = await limiterFor(limit)
      .consume(id)
      .then(
        (consumed) => ({ result: consumed, allowed: true }),
        (rejected: unknown) => {
          if (rejected instanceof RateLimiterRes) return { result: rejected, allowed: false };
          throw rejected;
        },
      );
    return {
      allowed,
      limit,
      remaining: allowed ? Math.max(0, result.remainingPoints) : 0,
      reset: Math.ceil((Date.now() + result.msBeforeNext) / 1000),
      retryAfter: Math.max(1, Math.ceil(result.msBeforeNext / 1000)),
    };
  };
}
