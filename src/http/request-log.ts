import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from '../log';

const REQUEST_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Gives each request an id (the caller's own, if it has one) and writes one line for it. The line names the
 * route's pattern, never the address itself: addresses can carry tokens.
 */
export function requestLog(log: Logger): Middleware {
  return async (ctx, next) => {
    const started = process.hrtime.bigint();
    const given = ctx.get('x-request-id');
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    try {
      await next();
    } finally {
      log.info(
        {
          request_id: requestId,
          method: ctx.method,
          route: (ctx.state['routePattern'] as string | undefined) ?? 'none',
          status: ctx.status,
          ms: Number((process.hrtime.bigint() - started) / 1000n) / 1000,
          project_id: ctx.state['projectId'] as string | undefined,
          error_code: ctx.state['errorCode'] as string | undefined,
        },
        'request',
      );
    }
  };
}
