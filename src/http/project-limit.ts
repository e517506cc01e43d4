import type pg from 'pg';
import { limits } from '../contract/limits';
import type { KeyedProject } from '../projects/contract';
import { createRateLimiter, createRateLimiters, retryAfterSeconds, type Counted } from './rate-limiter';

export interface LimitState {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** Unix seconds. */
  reset: number;
  retryAfter: number;
}

type Caller = Pick<KeyedProject, 'id' | 'requests_per_minute' | 'dashboard_session'>;

export interface CountRequest {
  (caller: Caller): Promise<LimitState>;
  /** Whether a request that is counted next may be handled meanwhile. */
  admitsEarly?(caller: Caller): boolean;
}

/**
 * A request is handled while it is counted as long as this many are left: the limit stays exact, unless other processes count
 * more than that while one statement runs.
 */
const FAR_FROM_LIMIT = 200;
const MAX_KNOWN_CALLERS = 10_000;

/** Counts the requests per minute of each project, and separately those of each dashboard session. */
export function createRequestLimit(pool: pg.Pool): CountRequest {
  const counterFor = createRateLimiters(pool, { name: 'requests', seconds: 60 });
  const countDashboard = createRateLimiter(pool, {
    name: 'dashboard',
    points: limits.dashboardRequestsPerMinute,
    seconds: 60,
  });

  /** What was left when the newest count arrived. */
  const known = new Map<string, { left: number; until: number }>();
  /** Requests that are being counted. */
  const uncounted = new Map<string, number>();
  const keyOf = ({ id, dashboard_session }: Caller) => dashboard_session ?? id;
  const limitOf = ({ requests_per_minute, dashboard_session }: Caller) =>
    dashboard_session === undefined
      ? (requests_per_minute ?? limits.requestsPerMinute)
      : limits.dashboardRequestsPerMinute;

  async function count(caller: Caller, limit: number): Promise<Counted> {
    const { id, dashboard_session } = caller;
    const key = keyOf(caller);
    uncounted.set(key, (uncounted.get(key) ?? 0) + 1);
    try {
      return await (dashboard_session === undefined
        ? counterFor(limit)(id)
        : countDashboard(dashboard_session));
    } finally {
      const left = (uncounted.get(key) ?? 1) - 1;
      if (left > 0) uncounted.set(key, left);
      else uncounted.delete(key);
    }
  }

  async function countRequest(caller: Caller): Promise<LimitState> {
    const limit = limitOf(caller);
    const counted = await count(caller, limit);
    if (known.size >= MAX_KNOWN_CALLERS) known.clear();
    known.set(keyOf(caller), { left: counted.remaining, until: performance.now() + counted.msBeforeNext });
    return {
      allowed: counted.allowed,
      limit,
      remaining: counted.remaining,
      reset: Math.ceil((Date.now() + counted.msBeforeNext) / 1000),
      retryAfter: retryAfterSeconds(counted),
    };
  }

  return Object.assign(countRequest, {
    admitsEarly(caller: Caller): boolean {
      const last = known.get(keyOf(caller));
      if (!last || last.until <= performance.now() || last.left < limitOf(caller) * FAR_FROM_LIMIT) {
        return false;
      }
      last.left -= 1;
      return true;
    },
  });
}
