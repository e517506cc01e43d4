import type { Channel } from '../../../base/contract/common';
import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { FailureReason } from '../../events/contract';
import { maySend } from '../../projects';
import type { MessageContent, SendReason, SkipReason } from '../contract';

export interface MessageRow {
  id: string;
  subscriber_id: string;
  channel: Channel;
  status: 'queued' | 'sending' | 'sent' | 'failed' | 'skipped';
  reason: SendReason | null;
  /** Set when the media was sent and its text is to follow. */
  media_message_id: string | null;
}

const COLUMNS = 'id, subscriber_id, channel, status, reason, media_message_id';

/** A message of a request, with its content; null for a one-time code. */
export interface MessageWithContent extends MessageRow {
  content: MessageContent | null;
}

/** Where a message comes from, as the log tells it. */
export interface MessageOrigin {
  source: 'send' | 'otp' | 'scheduled' | 'drip' | 'ticket' | 'form';
  sourceId?: string;
}

interface NewMessage {
  subscriberId: string;
  channel: Channel;
  /** Where it differs between the recipients: the template as it is for this one. */
  content?: MessageContent;
}

/** Inserts the messages of one request, one per subscriber, and returns them in the given order. */
export async function insertMessages(
  db: Db,
  request: { projectId: string; requestId: string; content: MessageContent | null } & MessageOrigin,
  messages: NewMessage[],
): Promise<MessageWithContent[]> {
  await change(
    db,
    'insert_messages',
    `INSERT INTO messages (project_id, request_id, source, source_id, content, subscriber_id, channel)
     SELECT $1, $2, $3, $8, coalesce(own::jsonb, $4::jsonb), subscriber, channel
     FROM unnest($5::uuid[], $6::text[], $7::text[]) AS given (subscriber, channel, own)
     ON CONFLICT (request_id, subscriber_id) DO NOTHING`,
    [
      request.projectId,
      request.requestId,
      request.source,
      request.content === null ? null : JSON.stringify(request.content),
      messages.map((message) => message.subscriberId),
      messages.map((message) => message.channel),
      messages.map((message) => (message.content ? JSON.stringify(message.content) : null)),
      request.sourceId ?? null,
    ],
  );
  const inserted = await findMessages(db, request.requestId);
  const position = new Map(messages.map((message, index) => [message.subscriberId, index]));
  return inserted.sort((a, b) => (position.get(a.subscriber_id) ?? 0) - (position.get(b.subscriber_id) ?? 0));
}

export function findMessages(db: Db, requestId: string): Promise<MessageWithContent[]> {
  return rows<MessageWithContent>(
    db,
    'messages_of_request',
    `SELECT ${COLUMNS}, content FROM messages WHERE request_id = $1 ORDER BY created_at, id`,
    [requestId],
  );
}

/** The subscribers whose message of this request has a result, or may have been sent. */
export async function attemptedRecipients(db: Db, requestId: string): Promise<Set<string>> {
  const found = await rows<{ subscriber_id: string }>(
    db,
    'attempted_recipients',
    `SELECT subscriber_id FROM messages WHERE request_id = $1 AND status <> 'queued'`,
    [requestId],
  );
  return new Set(found.map(({ subscriber_id }) => subscriber_id));
}

/**
 * Committed before the call to the messenger. Returns false if another process has claimed the message, or its project is
 * inactive.
 */
export async function claimMessage(db: Db, id: string): Promise<boolean> {
  const claimed = await change(
    db,
    'claim_message',
    `UPDATE messages SET status = 'sending', attempted_at = clock_timestamp()
     WHERE id = $1 AND status = 'queued' AND ${maySend('project_id')}`,
    [id],
  );
  return claimed > 0;
}

/** Ends a queued message that is not to be sent. Returns false if another process has claimed it. */
export async function skipMessage(db: Db, id: string, reason: SkipReason): Promise<boolean> {
  const skipped = await change(
    db,
    'skip_message',
    `UPDATE messages SET status = 'skipped', reason = $2, ended_at = clock_timestamp() WHERE id = $1 AND status = 'queued'`,
    [id, reason],
  );
  return skipped > 0;
}

/** Ends those messages of a request that are still queued: their time has passed. */
export function skipLateMessages(db: Db, requestId: string, subscriberIds: string[]): Promise<number> {
  return change(
    db,
    'skip_late_messages',
    `UPDATE messages SET status = 'skipped', reason = 'too_late', ended_at = clock_timestamp()
     WHERE request_id = $1 AND subscriber_id = ANY ($2::uuid[]) AND status = 'queued'`,
    [requestId, subscriberIds],
  );
}

/** Takes back the claim of a message that the platform has not taken. */
export function unclaimMessage(db: Db, id: string): Promise<number> {
  return change(
    db,
    'unclaim_message',
    `UPDATE messages SET status = 'queued' WHERE id = $1 AND status = 'sending'`,
    [id],
  );
}

/** Queues the messages of a request again that were being sent when a worker died: they may arrive twice. */
export function requeueMessages(db: Db, requestId: string): Promise<number> {
  return change(
    db,
    'requeue_messages',
    `UPDATE messages SET status = 'queued' WHERE request_id = $1 AND status = 'sending'`,
    [requestId],
  );
}

export type MessageResult =
  | { status: 'sent'; platformMessageId: string }
  | { status: 'failed'; reason: FailureReason; error: string };

/** Records the result of a message once. Returns the database time of the result; null if there already was one. */
export async function recordMessage(
  db: Db,
  id: string,
  result: MessageResult,
): Promise<{ endedAt: Date; attemptedAt: Date } | null> {
  const sent = result.status === 'sent';
  const recorded = await row<{ ended_at: Date; attempted_at: Date | null }>(
    db,
    'record_message',
    `UPDATE messages SET status = $2, platform_message_id = $3, reason = $4, error = $5, ended_at = clock_timestamp()
     WHERE id = $1 AND status IN ('queued', 'sending') RETURNING ended_at, attempted_at`,
    [
      id,
      result.status,
      sent ? result.platformMessageId : null,
      sent ? null : result.reason,
      sent ? null : result.error,
    ],
  );
  // A message that no bot could take has no attempt.
  return recorded && { endedAt: recorded.ended_at, attemptedAt: recorded.attempted_at ?? recorded.ended_at };
}

/** Records the first of a message's two calls, before the second is made. */
export async function recordMediaSent(db: Db, id: string, platformMessageId: string): Promise<void> {
  await change(db, 'record_media_sent', `UPDATE messages SET media_message_id = $2 WHERE id = $1`, [
    id,
    platformMessageId,
  ]);
}

export interface OldMessage {
  id: string;
  request_id: string;
  cursor_at: string;
}

/** Messages without a result, oldest first, from a message on. */
export function listOldMessages(
  db: Db,
  olderThanSeconds: number,
  after: Cursor | null,
  limit: number,
): Promise<OldMessage[]> {
  return rows<OldMessage>(
    db,
    'list_old_messages',
    `SELECT id, request_id, ${cursorTime('created_at')} AS cursor_at FROM messages
     WHERE status IN ('queued', 'sending') AND created_at < now() - make_interval(secs => $1)
       AND (created_at, id) > (coalesce($2::timestamptz, '-infinity'), coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
     ORDER BY created_at, id LIMIT $4`,
    [olderThanSeconds, after?.at ?? null, after?.id ?? null, limit],
  );
}

interface UnfinishedMessage extends MessageRow {
  project_id: string;
  external_id: string | null;
}

/** Locks those of the messages that still have no result. */
export function lockUnfinishedMessages(db: Db, ids: string[]): Promise<UnfinishedMessage[]> {
  return rows<UnfinishedMessage>(
    db,
    'lock_unfinished_messages',
    `SELECT m.id, m.subscriber_id, m.channel, m.status, m.reason, m.media_message_id, m.project_id, s.external_id
     FROM messages m JOIN subscribers s ON s.id = m.subscriber_id
     WHERE m.id = ANY ($1::uuid[]) AND m.status IN ('queued', 'sending')
     ORDER BY m.id FOR UPDATE OF m SKIP LOCKED`,
    [ids],
  );
}

/** Returns false if the update has already been counted. */
export async function insertClick(
  db: Db,
  updateId: number,
  click: { id: string; subscriber_id: string; job_id: string | null; button: string; at: Date },
): Promise<boolean> {
  const inserted = await change(
    db,
    'insert_button_click',
    `INSERT INTO button_clicks (update_id, delivery_id, subscriber_id, clicked_at, job_id, button)
     VALUES ($1, $2, $3, $4, $5::uuid, CASE WHEN $5::uuid IS NOT NULL THEN $6::text END) ON CONFLICT DO NOTHING`,
    [updateId, click.id, click.subscriber_id, click.at, click.job_id, click.button],
  );
  return inserted > 0;
}
