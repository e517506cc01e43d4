import type { DeclineReason } from '../contract';
import type { Channel } from '../../../base/contract/common';
import { noteChange } from '../../../base/db/changes';
import { notifyAfterCommit, notifyChannels } from '../../../base/db/notify';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';

export interface Answer {
  update_id: number;
  answer: 'yes' | 'no';
  first_name: string;
  username: string | null;
  /** The question that was answered. */
  prompt_id: number;
  /** When Herald got the tap. */
  received_at: Date;
}

/** Stores a tap that passed every check. Returns false if another tap was first. */
export async function recordAnswer(
  db: Db,
  answer: Answer & { session_id: string; received_at: Date },
): Promise<boolean> {
  const stored = await row<{ first: boolean }>(
    db,
    'record_answer',
    `WITH mine AS (
       INSERT INTO auth_answers (update_id, session_id, answer, first_name, username, received_at, prompt_id)
       VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (update_id) DO NOTHING)
     SELECT NOT EXISTS (SELECT 1 FROM auth_answers WHERE session_id = $2 AND update_id <> $1) AS first`,
    [
      answer.update_id,
      answer.session_id,
      answer.answer,
      answer.first_name,
      answer.username,
      answer.received_at,
      answer.prompt_id,
    ],
  );
  return stored?.first ?? false;
}

/** The first answer that was stored in time. Both times are the database's. */
export function firstAnswer(db: Db, sessionId: string): Promise<Answer | null> {
  return row<Answer>(
    db,
    'first_answer',
    `SELECT a.update_id, a.answer, a.first_name, a.username, a.prompt_id, a.received_at
     FROM auth_answers a JOIN auth_sessions s ON s.id = a.session_id
     WHERE a.session_id = $1 AND a.received_at <= s.expires_at ORDER BY a.received_at, a.update_id LIMIT 1`,
    [sessionId],
  );
}

/** Whether an update of a user who was asked was stored in time and is not handled yet: it may be the answer. */
export async function hasUnhandledUpdate(db: Db, sessionId: string): Promise<boolean> {
  const found = await row<{ waiting: boolean }>(
    db,
    'unhandled_update',
    `SELECT EXISTS (
       SELECT 1 FROM auth_sessions s JOIN auth_prompts p ON p.session_id = s.id
         JOIN bot_updates u ON u.channel = p.channel
           AND u.chat_queue = coalesce(p.bot || '/', '') || 'user:' || p.platform_user_id
       WHERE s.id = $1 AND u.handled_at IS NULL AND u.set_aside_at IS NULL AND u.received_at <= s.expires_at) AS waiting`,
    [sessionId],
  );
  return found?.waiting ?? false;
}

export async function confirmSession(
  db: Db,
  sessionId: string,
  decision: {
    subscriberId: string | null;
    codeHash: Buffer;
    codeSealed: string | null;
    codeTtlSeconds: number;
  },
): Promise<{ decidedAt: Date; codeLifeMs: number }> {
  const confirmed = await row<{ decided_at: Date; life_ms: number; project_id: string }>(
    db,
    'confirm_session',
    `UPDATE auth_sessions SET status = 'confirmed', decided_at = clock_timestamp(), subscriber_id = $2, code_hash = $3,
       code_sealed = $4, code_expires_at = clock_timestamp() + make_interval(secs => $5)
     WHERE id = $1 AND status = 'pending'
     RETURNING decided_at, (extract(epoch FROM code_expires_at - clock_timestamp()) * 1000)::float8 AS life_ms,
       project_id`,
    [sessionId, decision.subscriberId, decision.codeHash, decision.codeSealed, decision.codeTtlSeconds],
  );
  if (!confirmed) throw new Error('the session is not pending');
  notifySession(db, { id: sessionId, project_id: confirmed.project_id });
  return { decidedAt: confirmed.decided_at, codeLifeMs: confirmed.life_ms };
}

export async function endSession(
  db: Db,
  sessionId: string,
  status: 'declined' | 'expired',
  reason: DeclineReason | null,
): Promise<{ decidedAt: Date }> {
  const ended = await row<{ decided_at: Date; project_id: string }>(
    db,
    'end_session',
    `UPDATE auth_sessions SET status = $2, decline_reason = $3, decided_at = clock_timestamp()
     WHERE id = $1 AND status = 'pending' RETURNING decided_at, project_id`,
    [sessionId, status, reason],
  );
  if (!ended) throw new Error('the session is not pending');
  notifySession(db, { id: sessionId, project_id: ended.project_id });
  return { decidedAt: ended.decided_at };
}

/**
 * Expires sessions without an answer; the relay wakes their workflows, which edit the bot's questions. A session with an
 * answer is decided by its workflow. Returns how many have expired.
 */
export async function expireSessions(db: Db, ids: string[]): Promise<number> {
  await rows(
    db,
    'lock_pending_sessions',
    `SELECT id FROM auth_sessions WHERE id = ANY ($1::uuid[]) AND status = 'pending' ORDER BY id FOR UPDATE`,
    [ids],
  );
  // A statement of its own: it sees the answers that were stored while the first one waited for the locks.
  const expired = await rows<{ id: string; project_id: string }>(
    db,
    'expire_sessions',
    `UPDATE auth_sessions s SET status = 'expired', decided_at = clock_timestamp(), workflow_started_at = NULL,
       start_leased_until = NULL
     WHERE s.id = ANY ($1::uuid[]) AND s.status = 'pending'
       AND NOT EXISTS (SELECT 1 FROM auth_answers a WHERE a.session_id = s.id AND a.received_at <= s.expires_at)
     RETURNING s.id, s.project_id`,
    [ids],
  );
  for (const session of expired) notifySession(db, session);
  return expired.length;
}

/** The open sessions of a project without a decision, in the order of their ids. */
export async function listPendingSessions(
  db: Db,
  projectId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'list_pending_sessions',
    `SELECT id FROM auth_sessions WHERE project_id = $1 AND status = 'pending' AND id > $2 ORDER BY id LIMIT $3`,
    [projectId, after, limit],
  );
  return found.map(({ id }) => id);
}

/** Expires an unused code. Its hash stays, so that a late verify returns `code_expired`. */
export async function expireUnusedCode(db: Db, sessionId: string): Promise<boolean> {
  const expired = await row<{ project_id: string }>(
    db,
    'expire_code',
    `UPDATE auth_sessions SET status = 'expired', code_sealed = NULL
     WHERE id = $1 AND status = 'confirmed' AND code_expires_at <= clock_timestamp()
     RETURNING project_id`,
    [sessionId],
  );
  if (expired) notifySession(db, { id: sessionId, project_id: expired.project_id });
  return expired !== null;
}

/**
 * Ends a confirmed login of the dashboard, once, and returns who confirmed it; null if it is not confirmed or its time is
 * over.
 */
export async function consumeLogin(
  db: Db,
  sessionId: string,
): Promise<{ channel: Channel; platform_user_id: string } | null> {
  const consumed = await row<{ channel: Channel; platform_user_id: string; project_id: string }>(
    db,
    'consume_login',
    `UPDATE auth_sessions SET status = 'consumed', consumed_at = clock_timestamp()
     WHERE id = $1 AND status = 'confirmed' AND code_expires_at > clock_timestamp()
     RETURNING channel, platform_user_id, project_id`,
    [sessionId],
  );
  if (!consumed) return null;
  const { project_id, ...user } = consumed;
  notifySession(db, { id: sessionId, project_id });
  return user;
}

/** Wakes the polls of a session, and pages that show the project's logins. */
export function notifySession(db: Db, { id, project_id }: { id: string; project_id: string }): void {
  noteChange(db, 'logins', project_id);
  notifyAfterCommit(db, notifyChannels.session, id);
}
