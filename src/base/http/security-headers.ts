import type { Middleware } from 'koa';

/** Strict by default: no inline script or style, nothing from third parties, no framing. */
export function contentPolicy({ formAction = "'self'", frameAncestors = "'none'" } = {}): string {
  return [
    "default-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    `form-action ${formAction}`,
    `frame-ancestors ${frameAncestors}`,
  ].join('; ');
}

const POLICY = contentPolicy();

const YEAR_SECONDS = 365 * 24 * 3_600;

/**
 * Responses are not stored unless their handler says otherwise, because most contain codes, secrets or personal data.
 * `httpsOnly` makes browsers refuse plain HTTP for this host; other hosts of the domain are the operator's choice.
 */
export function securityHeaders({ httpsOnly }: { httpsOnly: boolean }): Middleware {
  return async (ctx, next) => {
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('X-Content-Type-Options', 'nosniff');
    ctx.set('Referrer-Policy', 'no-referrer');
    ctx.set('Cache-Control', 'no-store');
    if (httpsOnly) ctx.set('Strict-Transport-Security', `max-age=${YEAR_SECONDS}`);
    await next();
  };
}
