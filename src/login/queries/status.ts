import type { DeclineReason, SessionStatus } from '../contract';
import type { Channel, Language } from '../../contract/common';
import type { Db } from '../../db/pool';
import { row } from '../../db/query';

/** Everything that a status response needs, in one row. */
export interface SessionView {
  id: string;
  status: SessionStatus;
  decline_reason: DeclineReason | null;
  state: string | null;
  return_base: string | null;
  code_sealed: string | null;
  /** Seconds, rounded up; of the session while it is pending, of the code once it is confirmed. */
  expires_in: number;
  /** False if the last poll was less than a second ago; always true where polls are not counted. */
  allowed: boolean;
}

/**
 * A code's age is judged by the database's clock, so that a slow worker cannot lengthen its life. Only the workflow
 * ends a pending session, because it may still find a tap that was stored in time; after ten minutes it cannot.
 */
const VIEW = `s.id, s.decline_reason, s.state, coalesce(s.redirect_uri, p.callback_url) AS return_base,
  CASE WHEN s.status = 'confirmed' AND s.code_expires_at <= clock_timestamp() THEN 'expired'
       WHEN s.status = 'pending' AND s.expires_at <= clock_timestamp() - interval '10 minutes' THEN 'expired'
       ELSE s.status END AS status,
  s.code_sealed,
  CASE s.status WHEN 'pending' THEN greatest(0, ceil(extract(epoch FROM s.expires_at - clock_timestamp())))::int
    WHEN 'confirmed' THEN greatest(0, ceil(extract(epoch FROM s.code_expires_at - clock_timestamp())))::int
    ELSE 0 END AS expires_in`;

/**
 * Reads and counts a poll in one statement; null where the project has no such session. A poll that comes too early
 * is not recorded, so it does not move the window. The tolerance of 50 ms is for clients that sleep exactly a second.
 */
export function pollSession(db: Db, projectId: string, sessionId: string): Promise<SessionView | null> {
  return row<SessionView>(
    db,
    'poll_session',
    `WITH found AS MATERIALIZED (
       SELECT ${VIEW} FROM auth_sessions s JOIN projects p ON p.id = s.project_id
       WHERE s.id = $1 AND s.project_id = $2),
     poll AS (
       INSERT INTO auth_polls AS a (session_id, polled_at) SELECT id, clock_timestamp() FROM found
       ON CONFLICT (session_id) DO UPDATE SET polled_at = excluded.polled_at
         WHERE a.polled_at <= excluded.polled_at - interval '950 milliseconds'
       RETURNING session_id)
     SELECT found.id, found.decline_reason, found.state, found.return_base, found.status, found.code_sealed,
       found.expires_in, EXISTS (SELECT 1 FROM poll) AS allowed FROM found`,
    [sessionId, projectId],
  );
}

/** The same without counting: for the end of a long poll, and for the hosted page. */
export function viewSession(db: Db, sessionId: string): Promise<SessionView | null> {
  return row<SessionView>(
    db,
    'view_session',
    `SELECT ${VIEW}, true AS allowed FROM auth_sessions s JOIN projects p ON p.id = s.project_id WHERE s.id = $1`,
    [sessionId],
  );
}

export interface VerifiedUser {
  id: string;
  channel: Channel;
  first_name: string;
  username: string | null;
  lang: Language;
  tags: string[];
}

/** Redeems a code. Of any number of concurrent calls one gets the user; the others get null. */
export function consumeCode(
  db: Db,
  projectId: string,
  codeHash: Buffer,
  challenge: string | null,
): Promise<VerifiedUser | null> {
  return row<VerifiedUser>(
    db,
    'consume_code',
    `WITH consumed AS (
       UPDATE auth_sessions SET status = 'consumed', consumed_at = clock_timestamp(), code_sealed = NULL
       WHERE code_hash = $1 AND project_id = $2 AND status = 'confirmed' AND code_expires_at > clock_timestamp()
         AND subscriber_id IS NOT NULL AND code_challenge IS NOT DISTINCT FROM $3
       RETURNING subscriber_id)
     SELECT u.id, u.channel, u.first_name, u.username, u.lang, u.tags
     FROM consumed c JOIN subscribers u ON u.id = c.subscriber_id`,
    [codeHash, projectId, challenge],
  );
}

/** Why a code was not redeemed. A code that was used and has expired counts as used. */
export async function whyNotConsumed(
  db: Db,
  projectId: string,
  codeHash: Buffer,
): Promise<'unknown' | 'used' | 'expired' | 'verifier'> {
  const found = await row<{ used: boolean; expired: boolean; removed: boolean }>(
    db,
    'why_not_consumed',
    `SELECT consumed_at IS NOT NULL AS used, code_expires_at <= clock_timestamp() AS expired, subscriber_id IS NULL AS removed
     FROM auth_sessions WHERE code_hash = $1 AND project_id = $2`,
    [codeHash, projectId],
  );
  if (!found || (found.removed && !found.used)) return 'unknown';
  if (found.used) return 'used';
  return found.expired ? 'expired' : 'verifier';
}
