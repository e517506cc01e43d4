import type { Context, Middleware } from 'koa';
import { AppError } from '../contract/errors';
import type { Core } from '../core';
import { clientNetwork } from './client-network';
import { createEarlyCounts, createRateLimiter, retryAfterSeconds } from './rate-limiter';

/** Counts a request without a key by its address; throws if that exceeds the limit. */
export type CountAddress = (ctx: Pick<Context, 'ip'>) => Promise<void>;

/** With fewer requests left than this, each is counted before it is handled. */
const FAR = 100;

/** The limit of requests without a key, besides the limits of each route. */
export function createAddressCount({ pool, config }: Pick<Core, 'pool' | 'config'>): CountAddress {
  const points = config.HERALD_ADDRESS_REQUESTS_PER_MINUTE;
  const count = createRateLimiter(pool, { name: 'address', points, seconds: 60 });
  const counts = createEarlyCounts({ far: FAR });
  return async (ctx) => {
    const limited = { key: clientNetwork(ctx.ip), points, count };
    const counted = counts.later(limited) ?? (await counts.now(limited));
    if (counted.allowed) return;
    throw new AppError('rate_limit_address', undefined, { retryAfter: retryAfterSeconds(counted) });
  };
}

/** Counts requests of every page and keyless route that comes after it, except those that are `uncounted`. */
export function addressLimit(countAddress: CountAddress, uncounted: ReadonlySet<string>): Middleware {
  return async (ctx, next) => {
    if (!uncounted.has(ctx.path)) await countAddress(ctx);
    await next();
  };
}
