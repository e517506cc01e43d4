import type { Context } from 'koa';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { roleScopes } from '../../base/contract/scopes';
import type { Core } from '../../base/core';
import type { Db } from '../../base/db/pool';
import type { Authenticate } from '../../base/http/guard';
import { setHttpOnlyCookie } from '../../base/http/http-only-cookie';
import { ownOrigins } from '../../base/http/own-origins';
import { randomToken256, sha256 } from '../../base/lib/tokens';
import {
  findAccountSession,
  findCallerBySession,
  insertDashboardSession,
  recordSessionUse,
  removeDashboardSession,
  type SessionCaller,
  type SessionOwner,
} from './queries/dashboard-sessions';

/** With the 400 ms between the checks of a stream, a caller that loses its access is noticed within a second. */
const SHARED_CHECK_MS = 500;

type Deps = Pick<Core, 'pool' | 'publicUrl' | 'log'>;

/** Browsers accept the prefix only from this very host over https, so no other host of the domain can set the cookie. */
const cookieName = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Host-herald_dashboard' : 'herald_dashboard';
const SCOPE = { sameSite: 'strict', path: '/' } as const;
/** The project that the page shows. Another tab of the same sign-in may have switched to another one. */
const SHOWN_PROJECT_HEADER = 'x-herald-project';

/** Authenticates API requests by a key in the Authorization header, or else by the dashboard's cookie. */
export function createAuthentication({ pool, publicUrl, log }: Deps, bearer: Authenticate): Authenticate {
  const checks = new Map<string, Promise<SessionCaller | null>>();

  /** The streams of a browser check their session all the time: they share one query. */
  function checkAgain(hash: Buffer, projectId: string): Promise<SessionCaller | null> {
    const key = `${hash.toString('base64url')} ${projectId}`;
    const running = checks.get(key);
    if (running) return running;
    const check = findCallerBySession(pool, hash, projectId);
    checks.set(key, check);
    // A failed query is not shared any longer.
    check.catch(() => checks.delete(key));
    setTimeout(() => checks.delete(key), SHARED_CHECK_MS).unref();
    return check;
  }

  return async (ctx, admittedTo) => {
    const hash = sessionHash(ctx, publicUrl());
    if (!hash) return bearer(ctx);
    requireSameOrigin(ctx, publicUrl());
    // A request's own check is not shared: a changed role or a removed member must take effect at once.
    const found = await (admittedTo === undefined
      ? findCallerBySession(pool, hash, null)
      : checkAgain(hash, admittedTo));
    if (!found) throw await refusalOf(pool, hash);
    const { is_unseen: isUnseen, ...caller } = found;
    if (admittedTo === undefined) requireShownProject(ctx, caller.id);
    if (isUnseen && caller.active) {
      recordSessionUse(pool, hash).catch((err: unknown) =>
        log.warn({ err }, 'the time of a dashboard request was not saved'),
      );
    }
    return {
      ...caller,
      scopes: caller.role === null ? (caller.scopes ?? []) : roleScopes[caller.role],
      dashboard_session: hash.toString('base64url'),
    };
  };
}

export function requireShownProject(ctx: Context, projectId: string | null): void {
  const shown = ctx.get(SHOWN_PROJECT_HEADER);
  if (shown !== '' && shown !== projectId) {
    throw new AppError('conflict', 'This page shows another project. Reload it.');
  }
}

async function refusalOf(pool: Db, hash: Buffer): Promise<AppError> {
  return (await findAccountSession(pool, hash)) ? notInTeam() : signedOut();
}

export function notInTeam(): AppError {
  return new AppError('forbidden', 'You are not in the team of this project.');
}

export function signedOut(): AppError {
  return new AppError('unauthorized', 'You were signed out. Sign in again.');
}

/** The hash of the session cookie; null without one, or with an Authorization header, which comes first. */
export function sessionHash(ctx: Context, publicUrl: string): Buffer | null {
  const cookie = ctx.get('authorization') ? undefined : ctx.cookies.get(cookieName(publicUrl));
  return cookie ? sha256(cookie) : null;
}

/** `none`: an address that the user has typed. Clients that are not browsers send no such header. */
const ALLOWED_SITES = ['', 'same-origin', 'none'];

/**
 * Refuses requests that a page of another origin can have caused, reads included. A browser says so in one of the two
 * headers; one that sends neither does not send a SameSite=Strict cookie from another site.
 */
export function requireSameOrigin(ctx: Context, publicUrl: string): void {
  const origin = ctx.get('origin');
  const isOwn = origin === '' || ownOrigins(ctx, publicUrl).includes(origin);
  if (!ALLOWED_SITES.includes(ctx.get('sec-fetch-site')) || !isOwn) throw notOwnPage();
}

function notOwnPage(): AppError {
  return new AppError('forbidden', 'The dashboard’s cookie does not work for requests from other sites.');
}

/** `secret` is the value of the cookie. */
export async function signIn(
  ctx: Context,
  { publicUrl }: Pick<Deps, 'publicUrl'>,
  db: Db,
  owner: SessionOwner,
  secret = randomToken256(),
): Promise<void> {
  await insertDashboardSession(db, {
    hash: sha256(secret),
    owner,
    ip: ctx.ip,
    user_agent: userAgentOf(ctx) ?? null,
    hours: limits.dashboardSessionHours,
    max: limits.dashboardSessionsPerKey,
  });
  setSessionCookie(ctx, publicUrl(), secret);
}

export function setSessionCookie(ctx: Context, publicUrl: string, secret: string): void {
  setHttpOnlyCookie(ctx, publicUrl, cookieName(publicUrl), secret, {
    ...SCOPE,
    maxAge: limits.dashboardSessionHours * 3_600_000,
  });
}

export function userAgentOf(ctx: Context): string | undefined {
  return ctx.get('user-agent').slice(0, limits.userAgentLength) || undefined;
}

export async function signOut(ctx: Context, { pool, publicUrl }: Deps): Promise<void> {
  const name = cookieName(publicUrl());
  const cookie = ctx.cookies.get(name);
  if (cookie) await removeDashboardSession(pool, sha256(cookie));
  setHttpOnlyCookie(ctx, publicUrl(), name, '', { ...SCOPE, maxAge: 0 });
}
