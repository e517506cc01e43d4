import type pg from 'pg';
import { limits } from '../contract/limits';
import {
  createEarlyCounts,
  createRateLimiter,
  createRateLimiters,
  retryAfterSeconds,
  type Counted,
  type EarlyCounts,
} from './rate-limiter';
import type { Caller as AnyCaller } from './route';

export interface LimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds. */
  reset: number;
  retryAfter: number;
}

type Caller = Pick<AnyCaller, 'id' | 'requests_per_minute' | 'dashboard_session'>;

export interface CountRequest {
  (caller: Caller): Promise<LimitState>;
  /** Admits a request that is far from the limit, and counts it in a moment; null if it must be counted first. */
  early?(caller: Caller): LimitState | null;
}

/** With this many requests left in the minute, a request is admitted before it is counted. */
const FAR_FROM_LIMIT = 200;

/** For all limits of a process, whichever connections they count with: they agree on what is left. */
export function createRequestCounts(): EarlyCounts {
  return createEarlyCounts({ far: FAR_FROM_LIMIT });
}

/** Counts the requests per minute of each project, and separately those of each dashboard session. */
export function createRequestLimit(pool: pg.Pool, counts = createRequestCounts()): CountRequest {
  const counterFor = createRateLimiters(pool, { name: 'requests', seconds: 60 });
  const countDashboard = createRateLimiter(pool, {
    name: 'dashboard',
    points: limits.dashboardRequestsPerMinute,
    seconds: 60,
  });

  function limitOf({ id, requests_per_minute, dashboard_session }: Caller) {
    if (dashboard_session !== undefined) {
      return { key: dashboard_session, points: limits.dashboardRequestsPerMinute, count: countDashboard };
    }
    const points = requests_per_minute ?? limits.requestsPerMinute;
    return { key: id, points, count: counterFor(points) };
  }

  async function countRequest(caller: Caller): Promise<LimitState> {
    const limited = limitOf(caller);
    return stateOf(limited.points, await counts.now(limited));
  }

  return Object.assign(countRequest, {
    early(caller: Caller): LimitState | null {
      // People click slowly: their requests need not be faster than exact.
      if (caller.dashboard_session !== undefined) return null;
      const limited = limitOf(caller);
      const counted = counts.later(limited);
      return counted && stateOf(limited.points, counted);
    },
  });
}

function stateOf(limit: number, counted: Counted): LimitState {
  return {
    allowed: counted.allowed,
    limit,
    remaining: counted.remaining,
    reset: Math.ceil((Date.now() + counted.msBeforeNext) / 1000),
    retryAfter: retryAfterSeconds(counted),
  };
}
