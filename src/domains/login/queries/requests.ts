import type { NewRequest } from '../contract';
import type { Channel, Language } from '../../../base/contract/common';
import { noteChange } from '../../../base/db/changes';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { maySend } from '../../projects';
import { START_LEASE } from './starts';

/** SQL: the only subscriber whom the request `s` asks; null if there are several. */
const SOLE_RECIPIENT = `(SELECT (array_agg(r.subscriber_id))[1] FROM auth_request_recipients r
    WHERE r.session_id = s.id HAVING count(*) = 1)`;

/** SQL: who answered `s` or, before an answer, the only subscriber whom it asks. */
export const ANSWERER = `coalesce(s.subscriber_id, CASE WHEN s.flow = 'push' AND s.channel IS NULL THEN ${SOLE_RECIPIENT} END)`;

/** SQL: whether the user of `s` tapped Yes; it stays true after the code has expired. An approval has no code. */
export const WAS_CONFIRMED = `(s.code_hash IS NOT NULL OR s.purpose = 'approval' AND s.status = 'consumed')`;

/** SQL: when the user of `s` answered; null for one that ended without an answer. */
export const DECIDED_AT = `CASE WHEN s.status <> 'expired' OR ${WAS_CONFIRMED} THEN s.decided_at END`;

/** Locks subscribers in id order, so that their limits are exact. Returns those who are still active. */
export async function lockActiveSubscribers(db: Db, projectId: string, ids: string[]): Promise<string[]> {
  const found = await rows<{ id: string; active: boolean }>(
    db,
    'lock_subscribers_to_ask',
    `SELECT id, active FROM subscribers WHERE project_id = $1 AND id = ANY ($2::uuid[]) ORDER BY id FOR NO KEY UPDATE`,
    [projectId, ids],
  );
  return found.filter(({ active }) => active).map(({ id }) => id);
}

/**
 * Seconds until one more request fits for every one of the subscribers; 0 if it fits now. The caller holds their locks.
 * A pending request makes room when it expires at the latest.
 */
export async function secondsUntilRequestFits(
  db: Db,
  subscriberIds: string[],
  { pending, perHour }: { pending: number; perHour: number },
): Promise<number> {
  const found = await row<{ seconds: number | null }>(
    db,
    'seconds_until_request_fits',
    `SELECT extract(epoch FROM max(greatest(
       (SELECT s.expires_at FROM auth_request_recipients r JOIN auth_sessions s ON s.id = r.session_id
        WHERE r.subscriber_id = asked.id AND r.created_at > clock_timestamp() - interval '1 hour'
          AND s.status = 'pending' AND s.expires_at > clock_timestamp()
        ORDER BY s.expires_at DESC OFFSET $2 - 1 LIMIT 1),
       (SELECT r.created_at + interval '1 hour' FROM auth_request_recipients r
        WHERE r.subscriber_id = asked.id AND r.created_at > clock_timestamp() - interval '1 hour'
        ORDER BY r.created_at DESC OFFSET $3 - 1 LIMIT 1)
       )) - clock_timestamp())::float8 AS seconds
     FROM unnest($1::uuid[]) AS asked (id)`,
    [subscriberIds, pending, perHour],
  );
  return Math.max(0, found?.seconds ?? 0);
}

interface NewRequestRow extends Pick<
  NewRequest,
  'purpose' | 'message' | 'state' | 'client_ip' | 'user_agent'
> {
  id: string;
  match_code: string;
  traceparent: string | null;
  ttl_seconds: number;
}

/** Inserts the session with the subscribers to ask. The caller holds the locks of the subscribers. */
export async function insertRequest(
  db: Db,
  projectId: string,
  request: NewRequestRow,
  subscriberIds: string[],
): Promise<number> {
  const inserted = await change(
    db,
    'insert_request',
    `WITH session AS (
       INSERT INTO auth_sessions (id, project_id, flow, purpose, message, state, client_ip, user_agent, match_code,
         traceparent, created_at, expires_at, start_leased_until)
       VALUES ($1, $2, 'push', $3, $4, $5, $6, $7, $8, $9, clock_timestamp(),
         clock_timestamp() + make_interval(secs => $10), clock_timestamp() + ${START_LEASE})
       RETURNING id, created_at)
     INSERT INTO auth_request_recipients (session_id, subscriber_id, created_at)
     SELECT session.id, asked.id, session.created_at FROM session, unnest($11::uuid[]) AS asked (id)`,
    [
      request.id,
      projectId,
      request.purpose,
      request.message,
      request.state ?? null,
      request.client_ip ?? null,
      request.user_agent ?? null,
      request.match_code,
      request.traceparent,
      request.ttl_seconds,
      subscriberIds,
    ],
  );
  noteChange(db, 'logins', projectId);
  return inserted;
}

/** For a request that is resumed after a crash. Null if it was not inserted. */
export function findInsertedRequest(
  db: Db,
  projectId: string,
  id: string,
): Promise<{ match_code: string; expires_in: number } | null> {
  return row(
    db,
    'find_inserted_request',
    `SELECT match_code, greatest(0, ceil(extract(epoch FROM expires_at - clock_timestamp())))::int AS expires_in
     FROM auth_sessions WHERE id = $1 AND project_id = $2 AND flow = 'push'`,
    [id, projectId],
  );
}

/** A subscriber whom a request asks, and where. */
export interface Recipient {
  subscriber_id: string;
  channel: Channel;
  platform_user_id: string;
  chat_id: string;
  /** The bot of that chat; null for the shared one. */
  bot: string | null;
  lang: Language;
}

/** Subscribers who have not got the question yet and whose messenger has not refused it. */
export function unaskedRecipients(db: Db, sessionId: string): Promise<Recipient[]> {
  return rows<Recipient>(
    db,
    'unasked_recipients',
    `SELECT u.id AS subscriber_id, u.channel, u.platform_user_id, u.chat_id, u.bot, u.lang
     FROM auth_request_recipients r JOIN subscribers u ON u.id = r.subscriber_id
     WHERE r.session_id = $1 AND u.active AND r.refused IS NULL AND NOT EXISTS (
       SELECT 1 FROM auth_prompts p WHERE p.session_id = r.session_id AND p.channel = u.channel
         AND p.platform_user_id = u.platform_user_id AND p.message_id IS NOT NULL)
     ORDER BY u.id`,
    [sessionId],
  );
}

/**
 * Inserts a question that is about to be sent; null if the subscriber was removed or the project is inactive. The lock of the
 * recipient's row ensures that a removal finds the question.
 */
export async function insertRequestPrompt(
  db: Db,
  sessionId: string,
  { subscriber_id, channel, chat_id, bot, platform_user_id }: Recipient,
  nonceHash: Buffer,
): Promise<number | null> {
  const inserted = await row<{ id: number }>(
    db,
    'insert_request_prompt',
    `WITH recipient AS (
       SELECT session_id FROM auth_request_recipients WHERE session_id = $1 AND subscriber_id = $2
         AND ${maySend('(SELECT project_id FROM auth_sessions WHERE id = $1)')} FOR SHARE)
     INSERT INTO auth_prompts (session_id, nonce_hash, channel, chat_id, platform_user_id, bot)
     SELECT session_id, $3, $4, $5, $6, $7 FROM recipient RETURNING id`,
    [sessionId, subscriber_id, nonceHash, channel, chat_id, platform_user_id, bot],
  );
  return inserted?.id ?? null;
}

/** The messenger has not taken the question. */
export function deletePrompt(db: Db, promptId: number): Promise<number> {
  return change(db, 'delete_prompt', 'DELETE FROM auth_prompts WHERE id = $1', [promptId]);
}

export function markRecipientRefused(
  db: Db,
  sessionId: string,
  subscriberId: string,
  reason: string,
): Promise<number> {
  return change(
    db,
    'recipient_refused',
    'UPDATE auth_request_recipients SET refused = $3 WHERE session_id = $1 AND subscriber_id = $2',
    [sessionId, subscriberId, reason],
  );
}

/** The subscriber who was asked by a prompt; null if they were removed. */
export async function findAskedSubscriber(
  db: Db,
  sessionId: string,
  promptId: number,
): Promise<Recipient | null> {
  return row<Recipient>(
    db,
    'find_asked_subscriber',
    `SELECT u.id AS subscriber_id, u.channel, u.platform_user_id, p.chat_id, p.bot, u.lang
     FROM auth_prompts p JOIN auth_sessions s ON s.id = p.session_id
       JOIN subscribers u ON u.project_id = s.project_id AND u.channel = p.channel
         AND u.platform_user_id = p.platform_user_id
     WHERE p.session_id = $1 AND p.id = $2`,
    [sessionId, promptId],
  );
}

/** Records who answered. The caller holds the locks of the session and the project. */
export function bindRequest(db: Db, sessionId: string, who: Recipient): Promise<number> {
  return change(
    db,
    'bind_request',
    `UPDATE auth_sessions SET channel = $2, platform_user_id = $3, lang = $4, subscriber_id = $5, bot = $6
     WHERE id = $1`,
    [sessionId, who.channel, who.platform_user_id, who.lang, who.subscriber_id, who.bot],
  );
}

/** An approval has no code to redeem, so it ends here. */
export async function approveRequest(db: Db, sessionId: string): Promise<Date> {
  const approved = await row<{ decided_at: Date }>(
    db,
    'approve_request',
    `UPDATE auth_sessions SET status = 'consumed', decided_at = clock_timestamp()
     WHERE id = $1 AND status = 'pending' RETURNING decided_at`,
    [sessionId],
  );
  if (!approved) throw new Error('the session is not pending');
  return approved.decided_at;
}
