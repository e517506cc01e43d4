import type { Context } from 'koa';

export interface OwnCookie {
  sameSite: 'strict' | 'lax';
  path: string;
  /** Milliseconds; without it the cookie ends with the browser. */
  maxAge?: number;
}

/**
 * Sets a cookie that no script can read, secure wherever the service is reached over TLS: a proxy may end it, so that
 * the connection here is plain HTTP and the library would refuse.
 */
export function setOwnCookie(
  ctx: Context,
  publicUrl: string,
  name: string,
  value: string,
  options: OwnCookie,
): void {
  const secure = publicUrl.startsWith('https:');
  ctx.cookies.secure = secure;
  ctx.cookies.set(name, value, { ...options, httpOnly: true, secure, overwrite: true });
}
