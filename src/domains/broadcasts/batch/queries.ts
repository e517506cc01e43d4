import { scheduleAt } from '../../../base/agenda';
import { JOIN_OWN_BOT } from '../../bots';
import type { Channel } from '../../../base/contract/common';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { BatchTemplates } from '../../messages';
import { QUEUED_BOT } from '../queries/broadcasts';
import type { ResultRow } from '../results';
import type { ResultReason } from './contract';

export interface NewBatchRecipient {
  position: number;
  /** Null if the request names no subscriber of the project. */
  subscriber_id: string | null;
  channel: Channel | null;
  status: 'queued' | 'failed' | 'skipped';
  reason: ResultReason | null;
  error: string | null;
}

/** A message of the request, which is stored with each of its recipients. */
export interface StoredMessage {
  position: number;
  ref: string | null;
  permission: string | null;
  /** JSON. */
  content: string;
}

/** `unknownSubscriber` is stored where the request names no subscriber of the project. */
export async function insertBatchRecipients(
  db: Db,
  batchId: string,
  messages: StoredMessage[],
  recipients: NewBatchRecipient[],
  unknownSubscriber: string,
): Promise<void> {
  await change(
    db,
    'insert_batch_recipients',
    `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, bot, content, position, ref, permission, is_message,
       status, reason, error, ended_at)
     SELECT $1, coalesce(given.subscriber, $2), coalesce(given.channel, ''), ${QUEUED_BOT},
       CASE WHEN given.subscriber IS NOT NULL THEN message.content::jsonb END,
       given.position, message.ref, message.permission, given.subscriber IS NOT NULL AND given.status <> 'skipped',
       given.status, given.reason, given.error, CASE WHEN given.status <> 'queued' THEN now() END
     FROM unnest($3::uuid[], $4::text[], $5::int[], $6::text[], $7::text[], $8::text[])
       AS given (subscriber, channel, position, status, reason, error)
     JOIN unnest($9::int[], $10::text[], $11::text[], $12::text[]) AS message (position, ref, permission, content) USING (position)
     LEFT JOIN subscribers s ON s.id = given.subscriber ${JOIN_OWN_BOT}`,
    [
      batchId,
      unknownSubscriber,
      recipients.map((each) => each.subscriber_id),
      recipients.map((each) => each.channel),
      recipients.map((each) => each.position),
      recipients.map((each) => each.status),
      recipients.map((each) => each.reason),
      recipients.map((each) => each.error),
      messages.map((each) => each.position),
      messages.map((each) => each.ref),
      messages.map((each) => each.permission),
      messages.map((each) => each.content),
    ],
  );
}

/** Neither listed nor started before `completeBatch`. */
export function insertBatch(
  db: Db,
  projectId: string,
  id: string,
  { templates, total }: BatchTemplates & { total: number },
): Promise<number> {
  return change(
    db,
    'insert_batch',
    `INSERT INTO broadcasts (id, project_id, kind, content, audience, total, copied_id)
     VALUES ($1, $2, 'batch', $3, '{}', $4, $1)`,
    [id, projectId, JSON.stringify({ templates }), total],
  );
}

/**
 * Locks a batch that is being stored, so that a request that was given up and the one that has taken it over store each
 * message once: throws if the batch is whole or another request has stored the message at `position`.
 */
export async function lockBatchFrom(db: Db, id: string, position: number): Promise<void> {
  const open = await row(
    db,
    'lock_open_batch',
    'SELECT 1 FROM broadcasts WHERE id = $1 AND copied_id IS NOT NULL FOR UPDATE',
    [id],
  );
  const stored = await row<{ next: number }>(
    db,
    'next_of_batch',
    'SELECT coalesce(max(position) + 1, 0) AS next FROM broadcast_recipients WHERE broadcast_id = $1',
    [id],
  );
  if (!open || (stored?.next ?? 0) > position) throw new Error('another request has taken over the batch');
}

/** Its workflow is started after this commits. */
export async function completeBatch(db: Db, id: string): Promise<void> {
  const completed = await row<{ project_id: string }>(
    db,
    'complete_batch',
    `UPDATE broadcasts b SET copied_id = NULL,
       total = (SELECT count(*) FROM broadcast_recipients r WHERE r.broadcast_id = b.id)
     WHERE b.id = $1 AND b.copied_id IS NOT NULL RETURNING b.project_id`,
    [id],
  );
  if (completed) await scheduleAt(db, 'batch', [{ id, ...completed }]);
}

/** What an earlier request has stored of a batch; `messages`: of how many the recipients are stored. */
export function findStoredBatch(
  db: Db,
  projectId: string,
  id: string,
): Promise<{ isWhole: boolean; total: number; messages: number } | null> {
  return row(
    db,
    'find_stored_batch',
    `SELECT b.copied_id IS NULL AS "isWhole", b.total,
       (SELECT coalesce(max(r.position) + 1, 0) FROM broadcast_recipients r WHERE r.broadcast_id = b.id) AS messages
     FROM broadcasts b WHERE b.id = $2 AND b.project_id = $1 AND b.kind = 'batch'`,
    [projectId, id],
  );
}

export interface BatchResultRow extends ResultRow {
  position: number;
  ref: string | null;
  reason: ResultReason | null;
}

/** By place in the request; a message to an external_id has a result for each of its subscribers. */
export function listBatchResults(
  db: Db,
  batchId: string,
  {
    statuses,
    after,
    limit,
  }: { statuses: readonly string[]; after: { position: number; id: string }; limit: number },
): Promise<BatchResultRow[]> {
  return rows<BatchResultRow>(
    db,
    'list_batch_results',
    `SELECT id, position, ref, subscriber_id, channel, status, reason FROM broadcast_recipients
     WHERE broadcast_id = $1 AND (position, id) > ($2, $3::uuid) AND status = ANY ($5)
     ORDER BY position, id LIMIT $4`,
    [batchId, after.position, after.id, limit + 1, statuses],
  );
}
