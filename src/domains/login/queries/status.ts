import type { DeclineReason, SessionFlow, SessionStatus } from '../contract';
import type { Channel, Language } from '../../../base/contract/common';
import { noteChange } from '../../../base/db/changes';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { ANSWERER, DECIDED_AT } from './requests';

/** Everything that a status response needs, in one row. */
export interface SessionView {
  id: string;
  flow: SessionFlow;
  status: SessionStatus;
  decline_reason: DeclineReason | null;
  state: string | null;
  return_base: string | null;
  code_sealed: string | null;
  /** Of an approval: who answered, or the only one who was asked. */
  subscriber_id: string | null;
  decided_at: Date | null;
  /** Seconds, rounded up; of the session while it is pending, of the code once it is confirmed. */
  expires_in: number;
  /** False if the last poll was less than a second ago; always true where polls are not counted. */
  allowed: boolean;
}

/**
 * A code's age is judged by the database's clock, so that a slow worker cannot lengthen its life. Only the workflow
 * ends a pending session, because it may still find a tap that was stored in time; after ten minutes it cannot.
 */
const VIEW = `s.id, s.flow, ${DECIDED_AT} AS decided_at, ${ANSWERER} AS subscriber_id, s.decline_reason, s.state, coalesce(s.redirect_uri, p.callback_url) AS return_base,
  CASE WHEN s.status = 'confirmed' AND s.code_expires_at <= clock_timestamp() THEN 'expired'
       WHEN s.status = 'pending' AND s.expires_at <= clock_timestamp() - interval '10 minutes' THEN 'expired'
       ELSE s.status END AS status,
  s.code_sealed,
  CASE s.status WHEN 'pending' THEN greatest(0, ceil(extract(epoch FROM s.expires_at - clock_timestamp())))::int
    WHEN 'confirmed' THEN greatest(0, ceil(extract(epoch FROM s.code_expires_at - clock_timestamp())))::int
    ELSE 0 END AS expires_in`;

export interface Poll {
  projectId: string;
  sessionId: string;
}

/**
 * Reads and counts polls in one statement; null where the project has no such session. A poll that comes too early is
 * not recorded, so it does not move the window. The tolerance of 50 ms is for clients that sleep exactly a second. Of
 * two polls of one session the first counts. Rows are locked in id order.
 */
export async function pollSessions(db: Db, polls: Poll[]): Promise<(SessionView | null)[]> {
  const found = await rows<SessionView & { project_id: string }>(
    db,
    'poll_sessions',
    `WITH asked AS (
       SELECT DISTINCT session_id, project_id FROM unnest($1::uuid[], $2::uuid[]) AS given (session_id, project_id)
     ), found AS MATERIALIZED (
       SELECT s.project_id, ${VIEW} FROM asked
         JOIN auth_sessions s ON s.id = asked.session_id AND s.project_id = asked.project_id
         JOIN projects p ON p.id = s.project_id
     ), poll AS (
       INSERT INTO auth_polls AS a (session_id, polled_at) SELECT id, clock_timestamp() FROM found ORDER BY id
       ON CONFLICT (session_id) DO UPDATE SET polled_at = excluded.polled_at
         WHERE a.polled_at <= excluded.polled_at - interval '950 milliseconds'
       RETURNING session_id
     )
     SELECT project_id, id, flow, status, decline_reason, state, return_base, code_sealed, subscriber_id, decided_at, expires_in,
       id IN (SELECT session_id FROM poll) AS allowed
     FROM found`,
    [polls.map(({ sessionId }) => sessionId), polls.map(({ projectId }) => projectId)],
  );
  const byId = new Map(found.map((view) => [view.id, view]));
  const counted = new Set<string>();
  return polls.map(({ projectId, sessionId }) => {
    const view = byId.get(sessionId);
    if (view?.project_id !== projectId) return null;
    const isFirst = !counted.has(sessionId);
    counted.add(sessionId);
    return { ...view, allowed: view.allowed && isFirst };
  });
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
  session_id: string;
  id: string;
  channel: Channel;
  first_name: string;
  username: string | null;
  lang: Language;
  tags: string[];
}

export interface Redemption {
  projectId: string;
  codeHash: Buffer;
  challenge: string | null;
}

/**
 * Redeems codes in one statement. Of any number of concurrent calls with one code one gets the user; the others get
 * null. Rows are locked in id order.
 */
export async function consumeCodes(db: Db, redemptions: Redemption[]): Promise<(VerifiedUser | null)[]> {
  const consumed = await rows<VerifiedUser & { position: number }>(
    db,
    'consume_codes',
    `WITH asked AS (
       SELECT code_hash, project_id, challenge, position
       FROM unnest($1::bytea[], $2::uuid[], $3::text[]) WITH ORDINALITY AS given (code_hash, project_id, challenge, position)
     ), locked AS (
       SELECT s.id, asked.position FROM asked JOIN auth_sessions s
         ON s.code_hash = asked.code_hash AND s.project_id = asked.project_id
       WHERE s.status = 'confirmed' AND s.code_expires_at > clock_timestamp() AND s.subscriber_id IS NOT NULL
         AND s.code_challenge IS NOT DISTINCT FROM asked.challenge
       ORDER BY s.id FOR UPDATE OF s
     ), consumed AS (
       UPDATE auth_sessions s SET status = 'consumed', consumed_at = clock_timestamp(), code_sealed = NULL
       FROM locked WHERE s.id = locked.id AND s.status = 'confirmed'
       RETURNING s.id, s.subscriber_id, locked.position
     )
     SELECT c.position, c.id AS session_id, u.id, u.channel, u.first_name, u.username, u.lang, u.tags
     FROM consumed c JOIN subscribers u ON u.id = c.subscriber_id`,
    [
      redemptions.map(({ codeHash }) => codeHash),
      redemptions.map(({ projectId }) => projectId),
      redemptions.map(({ challenge }) => challenge),
    ],
  );
  const byPosition = new Map(consumed.map(({ position, ...user }) => [position, user]));
  return redemptions.map(({ projectId }, index) => {
    const user = byPosition.get(index + 1) ?? null;
    if (user) noteChange(db, 'logins', projectId);
    return user;
  });
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
