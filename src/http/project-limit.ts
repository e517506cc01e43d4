import type pg from 'pg';
import { limits } from '../contract/limits';
import type { KeyedProject } from '../projects/contract';
import { createRateLimiter, createRateLimiters, retryAfterSeconds } from './rate-limiter';

export interface LimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds. */
  reset: number;
  retryAfter: number;
}

type Caller = Pick<KeyedProject, 'id' | 'requests_per_minute' | 'dashboard_session'>;

export type CountRequest = (caller: Caller) => Promise<LimitState>;

/** Counts the requests per minute of each project, and separately those of each dashboard session. */
export function createRequestLimit(pool: pg.Pool): CountRequest {
  const counterFor = createRateLimiters(pool, { name: 'requests', seconds: 60 });
  const countDashboard = createRateLimiter(pool, {
    name: 'dashboard',
    points: limits.dashboardRequestsPerMinute,
    seconds: 60,
  });

  return async ({ id, requests_per_minute, dashboard_session }) => {
    const limit =
      dashboard_session === undefined
        ? (requests_per_minute ?? limits.requestsPerMinute)
        : limits.dashboardRequestsPerMinute;
    const counted = await (dashboard_session === undefined
      ? counterFor(limit)(id)
      : countDashboard(dashboard_session));
    return {
      allowed: counted.allowed,
      limit,
      remaining: counted.remaining,
      reset: Math.ceil((Date.now() + counted.msBeforeNext) / 1000),
      retryAfter: retryAfterSeconds(counted),
    };
  };
}
