import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from '../log';
import { metrics, statusClass } from '../metrics';

const REQUEST_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Gives each request an id (the caller's own, if it has one), writes one line for it and counts it. Both name the
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
      const { method, status } = ctx;
      const route = (ctx.state['routePattern'] as string | undefined) ?? 'none';
      const ms = Number((process.hrtime.bigint() - started) / 1000n) / 1000;
      const errorCode = ctx.state['errorCode'] as string | undefined;
      metrics.requests.inc({ route, method, status: statusClass(status) });
      metrics.requestSeconds.observe({ route, method }, ms / 1000);
      if (errorCode) metrics.requestErrors.inc({ code: errorCode });
      log.info(
        {
          request_id: requestId,
          method,
          route,
          status,
          ms,
          project_id: ctx.state['projectId'] as string | undefined,
          error_code: errorCode,
        },
        'request',
      );
    }
  };
}
