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
 * Large limits are taken from the database in shares of a thousandth, so that not every request has to ask: exact to
 * a thousandth, and never above the limit. The default of 300 is counted one by one.
 */
const SHARES = 1_000;

/** A share that this process has taken and not spent yet. */
interface Purse {
  limit: number;
  left: number;
  /** The end of the window, in milliseconds: what is left then is worth nothing. */
  until: number;
  taken: Promise<LimitState>;
}

/**
 * Requests a minute of each project, counted in Postgres so that several API processes agree. Once a project is
 * over its limit, the process remembers it and answers without asking the database.
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

  async function take(projectId: string, limit: number, points: number): Promise<LimitState> {
    const { result, allowed } = await limiterFor(limit)
      .consume(projectId, points)
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
  }

  const purses = new Map<string, Purse>();

  /** Spends from what this process has taken already, and takes a new share when that is gone: one caller for all. */
  async function spend(projectId: string, limit: number, share: number): Promise<LimitState> {
    for (;;) {
      let purse = purses.get(projectId);
      if (!purse || purse.limit !== limit || purse.until <= Date.now() || purse.left === 0) {
        purse = { limit, left: share, until: Infinity, taken: take(projectId, limit, share) };
        purses.set(projectId, purse);
      }
      const state = await purse.taken.catch((error: unknown) => {
        if (purses.get(projectId) === purse) purses.delete(projectId);
        throw error;
      });
      if (!state.allowed) {
        if (purses.get(projectId) === purse) purses.delete(projectId);
        return state;
      }
      purse.until = state.reset * 1000;
      if (purse.left === 0) continue;
      purse.left -= 1;
      return { ...state, remaining: state.remaining + purse.left };
    }
  }

  return async (project) => {
    const limit = project.requests_per_minute ?? limits.requestsPerMinute;
    const share = Math.floor(limit / SHARES);
    return share > 1 ? spend(project.id, limit, share) : take(project.id, limit, 1);
  };
}
