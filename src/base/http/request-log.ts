import { randomUUID } from 'node:crypto';
import { SpanKind } from '@opentelemetry/api';
import type { Context, Middleware } from 'koa';
import type { Logger } from '../lib/log';
import { metrics, statusClass } from '../lib/metrics';
import { currentTraceId, inSpan } from '../lib/tracing';

const REQUEST_ID = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Assigns a request id (the caller's, if it sent one), logs and counts the request. Logs and metrics use the route
 * pattern, because URLs can contain tokens.
 */
export function requestLog(log: Logger): Middleware {
  return async (ctx, next) => {
    const started = process.hrtime.bigint();
    const given = ctx.get('x-request-id');
    const requestId = REQUEST_ID.test(given) ? given : randomUUID();
    ctx.state['requestId'] = requestId;
    ctx.set('X-Request-Id', requestId);
    const write = () => {
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
          ...(ctx.state['logIds'] as Record<string, string> | undefined),
          error_code: errorCode,
          trace_id: currentTraceId(),
        },
        'request',
      );
    };
    await traced(ctx, requestId, () => next().finally(write));
  };
}

/** Continues the caller's trace, if it sent one. */
function traced(ctx: Context, requestId: string, work: () => Promise<void>): Promise<void> {
  return inSpan(
    {
      name: ctx.method,
      kind: SpanKind.SERVER,
      attributes: { 'http.request.method': ctx.method, 'herald.request_id': requestId },
      parent: ctx.get('traceparent') || null,
    },
    work,
    () => {
      const route = ctx.state['routePattern'] as string | undefined;
      return {
        name: route ? `${ctx.method} ${route}` : ctx.method,
        attributes: { 'http.route': route, 'http.response.status_code': ctx.status },
        failed: ctx.status >= 500,
      };
    },
  );
}
