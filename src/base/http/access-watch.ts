import type { Context } from 'koa';
import { AppError } from '../contract/errors';

/** With the half second for which a key is cached, a caller that loses its access is noticed within a second. */
const CHECK_MS = 400;

/**
 * For responses that stay open: aborts when the caller may no longer make the request, with the error that it would get
 * now, and when the connection closes.
 */
export function watchAccess(ctx: Context, check: () => Promise<void>): AbortSignal {
  const ended = new AbortController();
  if (ctx.res.closed) ended.abort();
  let timer: NodeJS.Timeout;
  function checkLater(): void {
    timer = setTimeout(() => {
      check().then(
        () => {
          if (!ended.signal.aborted) checkLater();
        },
        (error: unknown) => {
          // Any other fault, such as a database that is unavailable, says nothing about the caller.
          if (error instanceof AppError) ended.abort(error);
          else if (!ended.signal.aborted) checkLater();
        },
      );
    }, CHECK_MS);
  }
  ctx.res.once('close', () => {
    clearTimeout(timer);
    ended.abort();
  });
  if (!ended.signal.aborted) checkLater();
  return ended.signal;
}
