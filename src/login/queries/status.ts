import type { DeclineReason, SessionStatus } from '../contract';
import type { Channel, Language } from '../../contract/common';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';

/** Everything that a status answer needs, in one row. */
export interface SessionView {
  id: string;
  status: SessionStatus;
  decline_reason: DeclineReason | null;
  state: string | null;
  return_base: string | null;
  code_sealed: string | null;
  /** Seconds, rounded up; of the session while it is pending, of the code once it is confirmed. */
  expires_in: number;
  /** Whether the last poll was long enough ago; always true where the poll was not counted. */
  allowed: boolean;
}

/**
 * The code's end is judged here by the database's clock: a slow worker can never lengthen a code's life. A pending
 * session is ended by its workflow alone, which may still find a tap that arrived in time; ten minutes later nothing
 * can be found any more.
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
 * Polls, counted and answered in one statement; none where a project has no such session. A poll that comes too early
 * changes nothing, so it does not push the window forward. The tolerance of 50 ms is for clients that sleep exactly a
 * second. In the order of the ids, so that two processes that poll the same sessions never wait for each other.
 */
export function pollSessions(
  db: Db,
  polls: { projectId: string; sessionId: string }[],
): Promise<SessionView[]> {
  return rows<SessionView>(
    db,
    'poll_sessions',
    `WITH found AS MATERIALIZED (
       SELECT ${VIEW} FROM unnest($1::uuid[], $2::uuid[]) AS asked (session_id, project_id)
       JOIN auth_sessions s ON s.id = asked.session_id AND s.project_id = asked.project_id
       JOIN projects p ON p.id = s.project_id),
     poll AS (
       INSERT INTO auth_polls AS a (session_id, polled_at) SELECT id, clock_timestamp() FROM found ORDER BY id
       ON CONFLICT (session_id) DO UPDATE SET polled_at = excluded.polled_at
         WHERE a.polled_at <= excluded.polled_at - interval '950 milliseconds'
       RETURNING session_id)
     SELECT found.*, poll.session_id IS NOT NULL AS allowed FROM found LEFT JOIN poll ON poll.session_id = found.id`,
    [polls.map(({ sessionId }) => sessionId), polls.map(({ projectId }) => projectId)],
  );
}

/** The same answer without counting: the end of a long poll, and the hosted page. */
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

export interface CodeUse {
  projectId: string;
  codeHash: Buffer;
  challenge: string | null;
}

/**
 * Uses codes up: one statement, so that of any number of concurrent calls one wins. Answers the user of each code that
 * was good, by the code's hash. Rows are locked in the order of their ids, so that two processes never block each other.
 */
export async function consumeCodes(db: Db, uses: CodeUse[]): Promise<Map<string, VerifiedUser>> {
  const consumed = await rows<VerifiedUser & { code_hash: Buffer }>(
    db,
    'consume_codes',
    `WITH good AS MATERIALIZED (
       SELECT s.id FROM unnest($1::bytea[], $2::uuid[], $3::text[]) AS asked (code_hash, project_id, challenge)
       JOIN auth_sessions s ON s.code_hash = asked.code_hash AND s.project_id = asked.project_id
       WHERE s.status = 'confirmed' AND s.code_expires_at > clock_timestamp() AND s.subscriber_id IS NOT NULL
         AND s.code_challenge IS NOT DISTINCT FROM asked.challenge
       ORDER BY s.id FOR UPDATE OF s
     ), consumed AS (
       UPDATE auth_sessions s SET status = 'consumed', consumed_at = clock_timestamp(), code_sealed = NULL
       FROM good WHERE s.id = good.id AND s.status = 'confirmed' RETURNING s.code_hash, s.subscriber_id)
     SELECT c.code_hash, u.id, u.channel, u.first_name, u.username, u.lang, u.tags
     FROM consumed c JOIN subscribers u ON u.id = c.subscriber_id`,
    [
      uses.map(({ codeHash }) => codeHash),
      uses.map(({ projectId }) => projectId),
      uses.map(({ challenge }) => challenge),
    ],
  );
  return new Map(consumed.map((user) => [user.code_hash.toString('hex'), user]));
}

/** Why a code was not consumed. Used and old is "used". */
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
