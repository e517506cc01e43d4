import { randomUUID } from 'node:crypto';
import type { Context } from 'koa';
import type { Core } from '../../base/core';
import type { Db } from '../../base/db/pool';
import { randomToken256, sha256 } from '../../base/lib/tokens';
import { currentTraceparent } from '../../base/lib/tracing';
import { newSession } from './create-session';
import { setBrowserCookie } from './hosted-session';
import { insertProviderSession } from './queries/creation';
import { startOrLeaveToRelay, type SessionStarter } from './workflow-client';

export interface ProviderSession {
  id: string;
  projectId: string;
  hostedToken: string;
  /** Proves that the session's page belongs to the browser that made the request. */
  browserSecret: string;
  expiresIn: number;
}

/**
 * Inserts a session for the OpenID Connect provider in the caller's transaction, which checks the limits. It lasts no
 * longer than `maxSeconds`. `inserted` is for the caller to await, so that other statements can share its round trip.
 */
export function openProviderSession(
  db: Db,
  deps: Pick<Core, 'config' | 'cipher'>,
  projectId: string,
  device: { address: string; site: string; userAgent: string | null; userCode: string | null },
  maxSeconds: number,
): { session: ProviderSession; inserted: Promise<unknown> } {
  const { id, startToken, hostedToken, matchCode, expiresIn: usual } = newSession(randomUUID(), deps);
  const expiresIn = Math.min(usual, maxSeconds);
  const browserSecret = randomToken256();
  const inserted = insertProviderSession(db, projectId, {
    id,
    client_ip: device.address,
    site: device.site,
    user_agent: device.userAgent ?? undefined,
    start_hash: sha256(startToken),
    start_sealed: deps.cipher.encrypt(startToken, 'start_token', id),
    hosted_hash: sha256(hostedToken),
    browser_hash: sha256(browserSecret),
    match_code: matchCode,
    user_code: device.userCode,
    traceparent: currentTraceparent(),
    ttl_seconds: expiresIn,
  });
  return { session: { id, projectId, hostedToken, browserSecret, expiresIn }, inserted };
}

/** After the commit: starts the workflow, gives the page to this browser, and returns the page's path. */
export function showProviderSession(
  ctx: Context,
  deps: Pick<Core, 'config' | 'log' | 'publicUrl'> & { starter: Pick<SessionStarter, 'start'> },
  session: ProviderSession,
): string {
  // Not awaited: the page does not depend on Temporal.
  void startOrLeaveToRelay(deps, {
    id: session.id,
    project_id: session.projectId,
    flow: 'oidc',
    wait_ms: session.expiresIn * 1000,
  });
  setBrowserCookie(ctx, deps, session.id, session.browserSecret);
  return `/login/${session.hostedToken}`;
}
