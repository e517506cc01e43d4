import { timingSafeEqual } from 'node:crypto';
import type { Context } from 'koa';
import { AppError, orNotFound } from '../../../base/contract/errors';
import { isIpAddress } from '../../../base/contract/ip-address';
import type { Core } from '../../../base/core';
import { withTransaction } from '../../../base/db/pool';
import { clientNetwork } from '../../../base/http/client-network';
import { readCookie, setHttpOnlyCookie } from '../../../base/http/http-only-cookie';
import type { Work } from '../../../base/http/idempotency';
import { randomToken256, sha256 } from '../../../base/lib/tokens';
import {
  findAccount,
  findAccountSession,
  findLatestProject,
  setSessionCookie,
  signIn,
  userAgentOf,
} from '../../projects';
import { createSession } from '../create-session';
import { consumeLogin } from '../queries/decisions';
import { bindBrowser, findBoundBrowser } from '../queries/hosted';
import { viewSession } from '../queries/status';
import type { SessionWaiter } from '../session-waiter';
import type { SessionStarter } from '../workflow-client';
import { findSignInProject } from './project';

export type SignInDeps = Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'publicUrl' | 'log'> & {
  starter: SessionStarter;
  waiter: SessionWaiter;
};

type LoginStatus = 'pending' | 'confirmed' | 'declined' | 'expired' | 'consumed';

/** One cookie for each login, so that two tabs do not share theirs. */
const cookieName = (loginId: string) => `herald_sign_in_${loginId.replaceAll('-', '').slice(0, 16)}`;
const COOKIE = { sameSite: 'strict', path: '/dashboard/login' } as const;

/** Begins a login of Herald's own project. Herald itself fills in device and address. */
export async function beginSignIn(deps: SignInDeps, ctx: Context, work: Work) {
  const project = await findSignInProject(deps.pool);
  const userAgent = userAgentOf(ctx);
  const session = await createSession(
    deps,
    project,
    {
      state: 'dashboard',
      ...(isIpAddress(ctx.ip) ? { client_ip: ctx.ip } : {}),
      ...(userAgent === undefined ? {} : { user_agent: userAgent }),
    },
    work,
    clientNetwork(ctx.ip, 48),
  );
  const secret = randomToken256();
  await bindBrowser(deps.pool, session.id, sha256(secret));
  setHttpOnlyCookie(ctx, deps.publicUrl(), cookieName(session.id), secret, {
    ...COOKIE,
    maxAge: session.expiresIn * 1000,
  });
  return session;
}

/**
 * The status of a login, for the browser that began it. The first poll after the confirmation signs that browser in. The
 * session's cookie derives from the login's, so that a repeated poll, after a lost response, sets the same one.
 */
export async function pollSignIn(
  deps: SignInDeps,
  ctx: Context,
  { loginId, waitSeconds }: { loginId: string; waitSeconds: number },
): Promise<LoginStatus> {
  const secret = await requireOwnSecret(deps, ctx, loginId);
  const status = await awaitStatus(deps, ctx, { loginId, waitSeconds });
  if (status !== 'confirmed' && status !== 'consumed') return status;
  const sessionSecret = sha256(`dashboard session ${secret}`).toString('base64url');
  if (status === 'confirmed' && (await enter(deps, ctx, loginId, sessionSecret))) return 'confirmed';
  if (!(await findAccountSession(deps.pool, sha256(sessionSecret)))) return 'consumed';
  setSessionCookie(ctx, deps.publicUrl(), sessionSecret);
  return 'confirmed';
}

/** For any other browser the login does not exist. */
async function requireOwnSecret({ pool }: SignInDeps, ctx: Context, loginId: string): Promise<string> {
  const cookie = readCookie(ctx, cookieName(loginId));
  const project = await findSignInProject(pool);
  const bound = cookie ? await findBoundBrowser(pool, project.id, loginId) : null;
  if (!cookie || !bound || !timingSafeEqual(sha256(cookie), bound)) throw new AppError('not_found');
  return cookie;
}

async function awaitStatus(
  { pool, waiter }: SignInDeps,
  ctx: Context,
  { loginId, waitSeconds }: { loginId: string; waitSeconds: number },
): Promise<LoginStatus> {
  // Watched before the first read, so that no change between the two is missed.
  const watch = waitSeconds > 0 ? waiter.watch(loginId) : null;
  try {
    const view = orNotFound(await viewSession(pool, loginId));
    if (!watch || view.status !== 'pending') return view.status;
    const disconnected = new AbortController();
    ctx.res.once('close', () => disconnected.abort());
    await watch.wait(waitSeconds * 1000, disconnected.signal);
    return (await viewSession(pool, loginId))?.status ?? 'expired';
  } finally {
    watch?.done();
  }
}

/** The login ends and the session begins in one transaction. False if another poll of this browser was first. */
async function enter(
  deps: SignInDeps,
  ctx: Context,
  loginId: string,
  sessionSecret: string,
): Promise<boolean> {
  const isFirst = await withTransaction(deps.pool, async (db) => {
    const user = await consumeLogin(db, loginId);
    const account = user && (await findAccount(db, user.channel, user.platform_user_id));
    if (!account) return false;
    const owner = { account_id: account.id, project_id: await findLatestProject(db, account.id) };
    await signIn(ctx, deps, db, owner, sessionSecret);
    return true;
  });
  if (isFirst) deps.starter.signalRedeemed(loginId);
  return isFirst;
}
