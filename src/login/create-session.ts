import { randomInt } from 'node:crypto';
import type { NewSession } from '../contracts/auth';
import { AppError } from '../contracts/errors';
import { limits } from '../contracts/limits';
import type { Core } from '../core';
import { randomBase62, sha256 } from '../crypto/tokens';
import {
  addressWindowWait,
  insertSession,
  projectWindowWait,
  takeSessionPlace,
  type SessionPlace,
} from '../db/auth-sessions';
import { isBillingBlocked } from '../db/credits';
import { withTransaction } from '../db/pool';
import type { Project } from '../db/projects';
import { noteSessionTraceparent } from '../db/traces';
import { currentTraceparent } from '../tracing';

export interface CreatedSession {
  id: string;
  startToken: string;
  hostedToken: string;
  matchCode: string;
}

/** 190 bits each, independent of the session's id and of each other. */
const TOKEN_LENGTH = 32;
/** No letters that look like digits: two people compare it on two screens. */
const MATCH_ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const MATCH_LENGTH = 4;

/** Creates the row of a session under the project's lock, so that the limits are exact under concurrency. */
export async function createSession(
  { pool, config, cipher }: Pick<Core, 'pool' | 'config' | 'cipher'>,
  project: Pick<Project, 'id'>,
  request: NewSession,
  /** The caller starts the workflow itself; otherwise the relay does at once. */
  startsItself: boolean,
): Promise<CreatedSession> {
  const startToken = randomBase62(TOKEN_LENGTH);
  const hostedToken = randomBase62(TOKEN_LENGTH);
  const matchCode = newMatchCode();
  const tokens = {
    start_hash: sha256(startToken),
    start_sealed: cipher.encrypt(startToken, 'start_token'),
    hosted_hash: sha256(hostedToken),
    match_code: matchCode,
  };
  const id = await withTransaction(pool, async (db) => {
    const place = await takeSessionPlace(db, project.id);
    if (request.redirect_uri !== undefined && !isAllowed(place, request.redirect_uri)) {
      throw new AppError('invalid_url', 'redirect_uri: is not an allow-listed URL of the project');
    }
    if (await isBillingBlocked(db, project.id, config.HERALD_GRACE_HOURS)) {
      throw new AppError('billing_blocked');
    }
    const perHour = place.sessions_per_hour ?? limits.authSessionsPerHour;
    refuse(await projectWindowWait(db, project.id, place.number, perHour));
    if (request.client_ip !== undefined) {
      const perAddress = place.sessions_per_address ?? limits.authSessionsPerAddressPerHour;
      refuse(await addressWindowWait(db, project.id, request.client_ip, perAddress));
    }
    const sessionId = await insertSession(db, project.id, place.number, request, tokens, {
      ttlSeconds: config.HERALD_SESSION_TTL_SECONDS,
      startsItself,
    });
    const traceparent = currentTraceparent();
    if (traceparent) await noteSessionTraceparent(db, sessionId, traceparent);
    return sessionId;
  });
  return { id, startToken, hostedToken, matchCode };
}

function refuse(waitSeconds: number | null): void {
  if (waitSeconds !== null) {
    throw new AppError('rate_limit_auth_sessions', undefined, { retryAfter: waitSeconds });
  }
}

/** Exactly equal, character for character: nothing is normalised that a browser might read differently. */
function isAllowed(project: Pick<SessionPlace, 'callback_url' | 'redirect_urls'>, url: string): boolean {
  return url === project.callback_url || project.redirect_urls.includes(url);
}

function newMatchCode(): string {
  let code = '';
  for (let i = 0; i < MATCH_LENGTH; i += 1) code += MATCH_ALPHABET.charAt(randomInt(MATCH_ALPHABET.length));
  return code;
}
