import type { Context } from 'koa';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import { randomToken256, sha256 } from '../lib/tokens';
import {
  findProjectByDashboardSession,
  insertDashboardSession,
  removeDashboardSession,
} from './queries/dashboard-sessions';
import type { Authenticate } from '../http/guard';
import { setOwnCookie } from '../http/own-cookie';

type Deps = Pick<Core, 'pool' | 'publicUrl'>;

const COOKIE = 'herald_dashboard';
const SCOPE = { sameSite: 'strict', path: '/' } as const;
/** A page of another site cannot send this header without asking first, and it is never told yes. */
const OWN_PAGE_HEADER = 'x-herald-dashboard';

/** The API's authentication: a key in the Authorization header, or else the cookie of the dashboard's own pages. */
export function createAuthentication({ pool, publicUrl }: Deps, bearer: Authenticate): Authenticate {
  return async (ctx) => {
    const cookie = ctx.get('authorization') ? undefined : ctx.cookies.get(COOKIE);
    if (!cookie) return bearer(ctx);
    requireOwnPage(ctx, publicUrl());
    const project = await findProjectByDashboardSession(pool, sha256(cookie));
    if (!project) throw new AppError('unauthorized', 'You were signed out. Sign in again.');
    if (!project.active) throw new AppError('project_inactive');
    return project;
  };
}

/** Refuses what another site made the browser send. Reads as well: nothing of the dashboard is for other pages. */
export function requireOwnPage(ctx: Context, publicUrl: string): void {
  const site = ctx.get('sec-fetch-site');
  const origin = ctx.get('origin');
  const own = [`${ctx.protocol}://${ctx.host}`, new URL(publicUrl).origin];
  if (
    ctx.get(OWN_PAGE_HEADER) !== '1' ||
    (site !== '' && site !== 'same-origin') ||
    (origin !== '' && !own.includes(origin))
  ) {
    throw new AppError(
      'forbidden',
      'The dashboard’s cookie works only for requests from the dashboard’s own pages.',
    );
  }
}

export async function signIn(ctx: Context, { pool, publicUrl }: Deps, keyId: string): Promise<void> {
  const secret = randomToken256();
  const hours = limits.dashboardSessionHours;
  await insertDashboardSession(pool, { hash: sha256(secret), key_id: keyId, hours });
  setOwnCookie(ctx, publicUrl(), COOKIE, secret, { ...SCOPE, maxAge: hours * 3_600_000 });
}

export async function signOut(ctx: Context, { pool, publicUrl }: Deps): Promise<void> {
  const cookie = ctx.cookies.get(COOKIE);
  if (cookie) await removeDashboardSession(pool, sha256(cookie));
  setOwnCookie(ctx, publicUrl(), COOKIE, '', { ...SCOPE, maxAge: 0 });
}
