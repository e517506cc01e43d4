import { randomUUID } from 'node:crypto';
import type { NewSession } from './contract';
import { AppError } from '../contract/errors';
import type { Core } from '../core';
import { randomBase62, randomText, sha256Hex } from '../lib/tokens';
import type { Project } from '../projects/contract';
import { openSessions, type AskedSession, type Refusal } from './queries/creation';
import { createGatherer } from '../lib/batch';
import { currentTraceparent } from '../lib/tracing';

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

export type OpenSession = (
  project: Pick<Project, 'id'>,
  request: NewSession,
  /** The caller starts the workflow itself; otherwise the relay does at its next look. */
  startsItself: boolean,
) => Promise<CreatedSession>;

/** Sessions that one statement opens at most. */
const TOGETHER = 16;

/** Creates sessions. What one project asks for while a statement of its own is under way shares the next one. */
export function createSessionOpener({
  pool,
  config,
  cipher,
}: Pick<Core, 'pool' | 'config' | 'cipher'>): OpenSession {
  const open = createGatherer(
    (projectId, asked: AskedSession[]) =>
      openSessions(pool, projectId, asked, {
        graceHours: config.HERALD_GRACE_HOURS,
        ttlSeconds: config.HERALD_SESSION_TTL_SECONDS,
      }),
    // Of sessions from one address, each must count the one before it.
    { most: TOGETHER, mark: ({ client_ip: address }) => address },
  );
  return async (project, request, startsItself) => {
    const startToken = randomBase62(TOKEN_LENGTH);
    const hostedToken = randomBase62(TOKEN_LENGTH);
    const id = randomUUID();
    const matchCode = randomText(MATCH_ALPHABET, MATCH_LENGTH);
    const opened = await open(project.id, {
      ...request,
      id,
      start_hash: sha256Hex(startToken),
      start_sealed: cipher.encrypt(startToken, 'start_token'),
      hosted_hash: sha256Hex(hostedToken),
      match_code: matchCode,
      traceparent: currentTraceparent(),
      starts_itself: startsItself,
    });
    if (opened.refusal) throw refused(opened.refusal, opened.wait_seconds);
    return { id, startToken, hostedToken, matchCode };
  };
}

function refused(refusal: NonNullable<Refusal>, waitSeconds: number | null): AppError {
  if (refusal === 'invalid_url') {
    return new AppError(
      refusal,
      'redirect_uri: must match the callback URL or a redirect URL of the project',
    );
  }
  return new AppError(refusal, undefined, waitSeconds === null ? {} : { retryAfter: waitSeconds });
}
