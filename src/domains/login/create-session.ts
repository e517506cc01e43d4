import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { withTransaction } from '../../base/db/pool';
import { canonicalAddress } from '../../base/http/client-network';
import type { Work } from '../../base/http/idempotency';
import { randomBase62, sha256 } from '../../base/lib/tokens';
import { currentTraceparent } from '../../base/lib/tracing';
import { lockAndCountSession } from '../projects';
import type { Project } from '../projects/contract';
import type { NewSession } from './contract';
import { newMatchCode } from './match-code';
import { insertSessionIfItFits, replaceHostedToken } from './queries/creation';
import { makeRoom, NO_ROOM_RETRY_SECONDS } from './room';
import { startOrLeaveToRelay, type SessionStarter } from './workflow-client';

export interface CreatedSession {
  id: string;
  startToken: string;
  hostedToken: string;
  matchCode: string;
  /** In seconds. */
  expiresIn: number;
}

/** 190 bits each, independent of the session's id and of each other. */
const TOKEN_LENGTH = 32;

type Deps = Pick<Core, 'pool' | 'config' | 'cipher' | 'log'> & { starter: SessionStarter };

export function newSession(id: string, { config }: Pick<Core, 'config'>): CreatedSession {
  return {
    id,
    startToken: randomBase62(TOKEN_LENGTH),
    hostedToken: randomBase62(TOKEN_LENGTH),
    matchCode: newMatchCode(),
    expiresIn: config.HERALD_SESSION_TTL_SECONDS,
  };
}

/**
 * Inserts a session, with the work's id, and starts its workflow. Succeeds without Temporal: the relay starts what did
 * not start. `site`: the network of a caller without a key, which has a share of the open sessions.
 */
export async function createSession(
  deps: Deps,
  project: Pick<Project, 'id' | 'slug'>,
  request: NewSession,
  work: Work,
  site: string | null = null,
): Promise<CreatedSession> {
  const earlier = work.resumed ? await resumeSession(deps, project.id, work.id) : null;
  if (earlier) return earlier;
  const session = newSession(work.id, deps);
  await insertWithinLimits(deps, project.id, { ...request, site }, session);
  await startOrLeaveToRelay(deps, {
    id: session.id,
    project_id: project.id,
    project_slug: project.slug,
    flow: 'session',
    wait_ms: deps.config.HERALD_SESSION_TTL_SECONDS * 1000,
  });
  return session;
}

/**
 * The session of a request whose process stopped before it responded. Of the hosted page's token only the hash is stored,
 * so the page gets a new one: the old one was never returned.
 */
async function resumeSession(
  { pool, cipher }: Deps,
  projectId: string,
  id: string,
): Promise<CreatedSession | null> {
  const hostedToken = randomBase62(TOKEN_LENGTH);
  const session = await replaceHostedToken(pool, projectId, id, sha256(hostedToken));
  if (!session) return null;
  return {
    id,
    startToken: cipher.decrypt(session.start_sealed, 'start_token', id),
    hostedToken,
    matchCode: session.match_code,
    expiresIn: session.expires_in,
  };
}

/** Limits are checked under the project's row lock, so that they are exact for concurrent requests. */
async function insertWithinLimits(
  { pool, config, cipher }: Deps,
  projectId: string,
  request: NewSession & { site: string | null },
  { id, startToken, hostedToken, matchCode }: CreatedSession,
): Promise<void> {
  await withTransaction(pool, async (db) => {
    const project = await lockAndCountSession(db, projectId, config.HERALD_GRACE_HOURS);
    requireAllowedRedirect(project, request.redirect_uri);
    if (project.billing_blocked) throw new AppError('billing_blocked');
    if (request.site !== null && (await makeRoom(db, projectId, request.site)) !== null) {
      throw new AppError('rate_limit_sign_in', undefined, { retryAfter: NO_ROOM_RETRY_SECONDS });
    }
    const session = {
      ...request,
      // As an address, not as a text: `2001:DB8::1` is `2001:db8::1`. What is shown stays as given.
      client_address: request.client_ip === undefined ? null : canonicalAddress(request.client_ip),
      id,
      start_hash: sha256(startToken),
      start_sealed: cipher.encrypt(startToken, 'start_token', id),
      hosted_hash: sha256(hostedToken),
      match_code: matchCode,
      traceparent: currentTraceparent(),
      ttl_seconds: config.HERALD_SESSION_TTL_SECONDS,
    };
    const retryAfter = await insertSessionIfItFits(db, projectId, session, {
      perHour: project.sessions_per_hour ?? limits.authSessionsPerHour,
      perAddress: project.sessions_per_address ?? limits.authSessionsPerAddressPerHour,
    });
    if (retryAfter > 0) throw new AppError('rate_limit_auth_sessions', undefined, { retryAfter });
  });
}

/** Compared character by character: a normalised form might mean another address to a browser. */
function requireAllowedRedirect({ redirect_urls, callback_url }: Project, redirectUri?: string): void {
  if (redirectUri === undefined || redirectUri === callback_url || redirect_urls.includes(redirectUri)) {
    return;
  }
  throw new AppError(
    'invalid_url',
    'redirect_uri: must match the callback URL or a redirect URL of the project',
  );
}
