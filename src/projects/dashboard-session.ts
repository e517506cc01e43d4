import type { Context } from 'koa';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import type { Core } from '../core';
import type { Authenticate } from '../http/guard';
import { setHttpOnlyCookie } from '../http/http-only-cookie';
import { randomToken256, sha256 } from '../lib/tokens';
import {
  findProjectByDashboardSession,
  insertDashboardSession,
  removeDashboardSession,
} from './queries/dashboard-sessions';

type Deps = Pick<Core, 'pool' | 'publicUrl'>;

/** Browsers accept the prefix only from this very host over https, so no other host of the domain can set the cookie. */
const cookieName = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Host-herald_dashboard' : 'herald_dashboard';
const SCOPE = { sameSite: 'strict', path: '/' } as const;
/** Another site's page cannot send this header without a CORS preflight, which is never allowed. */
const DASHBOARD_HEADER = 'x-herald-dashboard';

/** Authenticates API requests by a key in the Authorization header, or else by the dashboard's cookie. */
export function createAuthentication({ pool, publicUrl }: Deps, bearer: Authenticate): Authenticate {
  return async (ctx) => {
    const cookie = ctx.get('authorization') ? undefined : ctx.cookies.get(cookieName(publicUrl()));
    if (!cookie) return bearer(ctx);
    requireDashboardPage(ctx, publicUrl());
    const hash = sha256(cookie);
    const project = await findProjectByDashboardSession(pool, hash);
    if (!project) throw new AppError('unauthorized', 'You were signed out. Sign in again.');
    if (!project.active) throw new AppError('project_inactive');
    return { ...project, dashboard_session: hash.toString('base64url') };
  };
}

/** Refuses cross-site requests, reads included: dashboard data is only for the dashboard's own pages. */
export function requireDashboardPage(ctx: Context, publicUrl: string): void {
  const site = ctx.get('sec-fetch-site');
  const origin = ctx.get('origin');
  const allowed = [`${ctx.protocol}://${ctx.host}`, new URL(publicUrl).origin];
  if (
    ctx.get(DASHBOARD_HEADER) !== '1' ||
    (site !== '' && site !== 'same-origin') ||
    (origin !== '' && !allowed.includes(origin))
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
  const max = limits.dashboardSessionsPerKey;
  await insertDashboardSession(pool, { hash: sha256(secret), key_id: keyId, hours, max });
  setHttpOnlyCookie(ctx, publicUrl(), cookieName(publicUrl()), secret, {
    ...SCOPE,
    maxAge: hours * 3_600_000,
  });
}

export async function signOut(ctx: Context, { pool, publicUrl }: Deps): Promise<void> {
  const name = cookieName(publicUrl());
  const cookie = ctx.cookies.get(name);
  if (cookie) await removeDashboardSession(pool, sha256(cookie));
  setHttpOnlyCookie(ctx, publicUrl(), name, '', { ...SCOPE, maxAge: 0 });
}
