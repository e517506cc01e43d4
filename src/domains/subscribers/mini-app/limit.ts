import type { Middleware } from 'koa';
import { AppError } from '../../../base/contract/errors';
import type { Core } from '../../../base/core';
import { clientNetwork } from '../../../base/http/client-network';
import { createRateLimiter, retryAfterSeconds } from '../../../base/http/rate-limiter';

/** Counts every POST to the Mini App by its address, before its body is read: none of them has a key. */
export function miniAppLimit({ pool, config }: Pick<Core, 'pool' | 'config'>): Middleware {
  const count = createRateLimiter(pool, {
    name: 'mini',
    points: config.HERALD_MINI_REQUESTS_PER_MINUTE,
    seconds: 60,
  });
  return async (ctx, next) => {
    if (ctx.method === 'POST' && ctx.path.startsWith('/mini/')) {
      const counted = await count(clientNetwork(ctx.ip));
      if (!counted.allowed) {
        throw new AppError('rate_limit_address', undefined, { retryAfter: retryAfterSeconds(counted) });
      }
    }
    await next();
  };
}
