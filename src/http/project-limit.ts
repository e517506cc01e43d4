import type pg from 'pg';
import { limits } from '../contract/limits';
import type { Project } from '../projects/contract';
import { createRateLimiter, retryAfterSeconds, type Count } from './rate-limiter';

export interface LimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds. */
  reset: number;
  retryAfter: number;
}

export type CountRequest = (project: Pick<Project, 'id' | 'requests_per_minute'>) => Promise<LimitState>;

/** Counts the requests per minute of each project. */
export function createProjectLimit(pool: pg.Pool): CountRequest {
  const byLimit = new Map<number, Count>();

  function counterFor(limit: number): Count {
    const existing = byLimit.get(limit);
    if (existing) return existing;
    const count = createRateLimiter(pool, { name: 'requests', points: limit, seconds: 60 });
    byLimit.set(limit, count);
    return count;
  }

  return async ({ id, requests_per_minute }) => {
    const limit = requests_per_minute ?? limits.requestsPerMinute;
    const counted = await counterFor(limit)(id);
    return {
      allowed: counted.allowed,
      limit,
      remaining: counted.remaining,
      reset: Math.ceil((Date.now() + counted.msBeforeNext) / 1000),
      retryAfter: retryAfterSeconds(counted),
    };
  };
}
