import type { Context } from 'koa';
import { AppError } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { admit, countOrRefuse, type Authenticate } from '../../base/http/guard';
import type { CountRequest } from '../../base/http/project-limit';
import type { Caller } from '../../base/http/route';
import { requireSameOrigin, sessionHash } from './dashboard-session';
import { findAccountSession, type AccountSession } from './queries/dashboard-sessions';

export type CallerDeps = Pick<Core, 'pool' | 'publicUrl'> & {
  authenticate: Authenticate;
  countRequest: CountRequest;
};

/** Counts a request of an account, which may be in no team. Null for a key, directly or by its session: see `admitKey`. */
export async function admitAccount(
  { pool, publicUrl, countRequest }: CallerDeps,
  ctx: Context,
): Promise<{ hash: Buffer; session: AccountSession } | null> {
  const hash = sessionHash(ctx, publicUrl());
  if (!hash) return null;
  requireSameOrigin(ctx, publicUrl());
  const session = await findAccountSession(pool, hash);
  if (!session) return null;
  const dashboard_session = hash.toString('base64url');
  await countOrRefuse(ctx, countRequest, { id: '', requests_per_minute: null, dashboard_session });
  return { hash, session };
}

export function admitKey(deps: CallerDeps, ctx: Context): Promise<Caller> {
  return admit(ctx, deps);
}

/** Whose sign-ins a request is about: an account, which may be in no team, or a key. */
export async function signedInOwner(deps: CallerDeps, ctx: Context) {
  const account = await admitAccount(deps, ctx);
  if (!account) return admitKey(deps, ctx);
  const { hash, session } = account;
  return { key_id: null, account_id: session.account_id, dashboard_session: hash.toString('base64url') };
}

/** `refusal` is for an API key, directly or by its session. */
export async function requireAccount(deps: CallerDeps, ctx: Context, refusal: string) {
  const account = await admitAccount(deps, ctx);
  if (account) return account;
  await admitKey(deps, ctx);
  throw new AppError('forbidden', refusal);
}
