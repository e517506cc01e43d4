import type { NewSession } from '../contract';
import { limits } from '../../contract/limits';
import { BILLING, BLOCKED } from '../../projects';
import type { Db } from '../../db/pool';
import { rows } from '../../db/query';

export interface AskedSession extends NewSession {
  id: string;
  /** Hexadecimal. */
  start_hash: string;
  start_sealed: string;
  /** Hexadecimal. */
  hosted_hash: string;
  match_code: string;
  traceparent: string | null;
  /** Its caller starts the workflow itself. */
  starts_itself: boolean;
}

/** Null: the session is open. */
export type Refusal = 'invalid_url' | 'billing_blocked' | 'rate_limit_auth_sessions' | null;

/** Opens sessions of one project under its row lock, or says why not, for each in its place (migration 0010). */
export async function openSessions(
  db: Db,
  projectId: string,
  asked: AskedSession[],
  { graceHours, ttlSeconds }: { graceHours: number; ttlSeconds: number },
): Promise<{ refusal: Refusal; wait_seconds: number | null }[]> {
  const opened = await rows<{ refusal: Refusal; wait_seconds: number | null }>(
    db,
    'open_sessions',
    `SELECT o.* FROM ${BILLING}, open_sessions(p.id, $3, ${BLOCKED}, $4, $5, $6) AS o WHERE p.id = $1`,
    [
      projectId,
      graceHours,
      JSON.stringify(asked),
      limits.authSessionsPerHour,
      limits.authSessionsPerAddressPerHour,
      ttlSeconds,
    ],
  );
  if (opened.length !== asked.length) throw new Error('the project has vanished');
  return opened;
}
