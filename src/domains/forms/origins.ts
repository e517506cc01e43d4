import type { Context } from 'koa';

/**
 * Where a browser says that a request comes from: `Origin`, else the origin of `Referer`; null if it says neither. An
 * `Origin: null`, as of a sandboxed frame, matches nothing, whatever page the frame is in.
 */
export function originOf(ctx: Pick<Context, 'get'>): string | null {
  const origin = ctx.get('origin');
  if (origin !== '') return origin.toLowerCase();
  const referer = ctx.get('referer');
  return URL.canParse(referer) ? new URL(referer).origin.toLowerCase() : null;
}

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** `https://*.host` matches every subdomain of the host, not the host itself. Plain HTTP is for this machine only. */
export function isAllowedOrigin(
  allowed: readonly string[],
  origin: string | null,
  { development }: { development: boolean },
): boolean {
  if (allowed.includes('*')) return true;
  if (origin === null || !isWorthMatching(origin, development)) return false;
  return allowed.some((each) => each === origin || (each.includes('*.') && isSubdomain(each, origin)));
}

function isWorthMatching(origin: string, development: boolean): boolean {
  return origin.startsWith('https://') || (development && LOOPBACK.test(origin));
}

function isSubdomain(pattern: string, origin: string): boolean {
  const [scheme = '', rest = ''] = pattern.split('*');
  const name = origin.slice(scheme.length, -rest.length);
  return origin.startsWith(scheme) && origin.endsWith(rest) && /^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/.test(name);
}

export function isLoopbackOrigin(origin: string): boolean {
  return LOOPBACK.test(origin);
}
