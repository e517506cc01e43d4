import type { Context, Middleware } from 'koa';
import { AppError, type ErrorEnvelope } from '../contract/errors';
import type { Logger } from '../lib/log';
import { isUnavailable } from '../lib/unavailable';
import { endsConnection, readToEnd } from './unread-body';

/** The Retry-After for an unavailable database or Temporal server, which usually recovers within seconds. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

export interface ErrorMapperDeps {
  log: Logger;
  /** The absolute URL of the page that describes the error codes. */
  docsUrl: () => string;
  /** Renders an error for a person in a browser; undefined for everybody else. Absent where no pages are served. */
  errorPage?: (ctx: Context, error: AppError) => string | undefined;
}

/** Turns every thrown error into the error envelope, the only error format that callers of the API see. */
export function errorMapper({ log, docsUrl, errorPage }: ErrorMapperDeps): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500) {
        log.error(
          { err: thrown, request_id: ctx.state['requestId'] as string, error_code: error.code },
          'request failed',
        );
      }
      if (endsConnection(ctx)) await readToEnd(ctx.req);
      sendError(ctx, error, errorPage?.(ctx, error) ?? error.toEnvelope(docsUrl()));
    }
  };
}

function sendError(ctx: Context, error: AppError, answer: string | ErrorEnvelope): void {
  ctx.status = error.status;
  ctx.state['errorCode'] = error.code;
  if (error.retryAfter !== undefined) {
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(error.retryAfter))));
  }
  ctx.set('Cache-Control', 'no-store');
  ctx.vary('Accept');
  ctx.type = typeof answer === 'string' ? 'html' : 'application/json';
  ctx.body = typeof answer === 'string' ? answer : JSON.stringify(answer);
}

function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (isUnavailable(thrown)) {
    return new AppError('service_unavailable', undefined, {
      retryAfter: UNAVAILABLE_RETRY_SECONDS,
      cause: thrown,
    });
  }
  if (thrown instanceof URIError) return new AppError('bad_request', 'The path is not encoded correctly.');
  // Koa and its libraries mark client errors with a 4xx status (http-errors).
  const status = (thrown as { status?: unknown } | null)?.status;
  if (typeof status === 'number' && status >= 400 && status < 500) return new AppError('bad_request');
  return new AppError('internal_error', undefined, { cause: thrown });
}
