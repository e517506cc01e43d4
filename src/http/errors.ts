import type { IncomingMessage } from 'node:http';
import type { Context, Middleware } from 'koa';
import { AppError, type ErrorEnvelope } from '../contract/errors';
import { MIB } from '../contract/limits';
import type { Logger } from '../lib/log';
import { isUnavailable } from '../lib/unavailable';

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

/** Because the client has asked for it, or the response says so. */
function endsConnection({ res, response }: Context): boolean {
  return !res.shouldKeepAlive || response.get('Connection') === 'close';
}

/** What is read of a request's body for no other reason than that its sender reads the response only after it. */
const DRAINED = { bytes: 64 * MIB, ms: 10_000 };

/**
 * Reads what is left of the body and forgets it. A connection that ends with the response would be reset while its client
 * still sends, and the client would never read the response. One that is kept alive Node drains by itself.
 */
async function readToEnd(req: IncomingMessage): Promise<void> {
  if (req.complete || req.destroyed) return;
  await new Promise<void>((resolve) => {
    let left = DRAINED.bytes;
    const count = (bytes: Buffer) => {
      left -= bytes.length;
      if (left < 0) end();
    };
    const timer = setTimeout(end, DRAINED.ms);
    function end(): void {
      clearTimeout(timer);
      req.off('data', count);
      for (const event of ['end', 'error', 'close']) req.off(event, end);
      resolve();
    }
    for (const event of ['end', 'error', 'close']) req.once(event, end);
    req.on('data', count);
    req.resume();
  });
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
