import type { Context } from 'koa';

interface HttpOnlyCookie {
  sameSite: 'strict' | 'lax';
  path: string;
  /** In milliseconds; without it the cookie ends with the browser session. */
  maxAge?: number;
}

/**
 * Sets an HttpOnly cookie, `Secure` if the public URL is https. Behind a TLS-terminating proxy the connection is plain
 * HTTP, and the library would otherwise refuse to set a secure cookie.
 */
export function setHttpOnlyCookie(
  ctx: Context,
  publicUrl: string,
  name: string,
  value: string,
  options: HttpOnlyCookie,
): void {
  const secure = publicUrl.startsWith('https:');
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, value, { ...options, httpOnly: true, secure, overwrite: true });
}

/**
 * Reads a cookie whose name differs for each session. The library's own `get` keeps a pattern for every name it was asked
 * for, as long as the process runs.
 */
export function readCookie(ctx: Pick<Context, 'get'>, name: string): string | undefined {
  const found = ctx
    .get('cookie')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(`${name}=`));
  return found?.slice(name.length + 1);
}
