import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { orNotFound } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { randomToken256, sha256 } from '../../base/lib/tokens';
import { bindBrowser, findHostedSession, type HostedSession } from './queries/hosted';
import { readCookie, setHttpOnlyCookie } from '../../base/http/http-only-cookie';

/** One cookie per session, so that two logins in one browser do not share theirs. */
const cookieName = (sessionId: string) => `herald_login_${sessionId.replaceAll('-', '').slice(0, 16)}`;

export async function requireHostedSession(pool: Core['pool'], token: string): Promise<HostedSession> {
  return orNotFound(await findHostedSession(pool, sha256(token)));
}

/**
 * Whether this browser opened the page first. Only that browser receives the code. A device polls for its own outcome, so
 * any browser with the link may show its page.
 */
export function isOwnBrowser(ctx: Context, session: HostedSession): boolean {
  if (session.user_code !== null) return true;
  const cookie = readCookie(ctx, cookieName(session.id));
  if (!cookie || !session.browser_hash) return false;
  const hash = sha256(cookie);
  return hash.length === session.browser_hash.length && timingSafeEqual(hash, session.browser_hash);
}

/** Binds the page to the first browser that opens it. Returns whether it is bound to this one. */
export async function bindPage(
  ctx: Context,
  core: Pick<Core, 'pool' | 'publicUrl'>,
  session: HostedSession,
): Promise<boolean> {
  if (session.browser_hash) return isOwnBrowser(ctx, session);
  const secret = randomToken256();
  if (!(await bindBrowser(core.pool, session.id, sha256(secret)))) return false;
  setBrowserCookie(ctx, core, session.id, secret);
  return true;
}

/** `secret` proves that the page belongs to this browser. */
export function setBrowserCookie(
  ctx: Context,
  core: Pick<Core, 'publicUrl'>,
  sessionId: string,
  secret: string,
): void {
  const scope = { sameSite: 'lax', path: '/login' } as const;
  setHttpOnlyCookie(ctx, core.publicUrl(), cookieName(sessionId), secret, scope);
}
