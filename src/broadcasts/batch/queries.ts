import { JOIN_OWN_BOT } from '../../bots';
import type { Channel } from '../../contract/common';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import type { MessageContent } from '../../messages/contract';
import { QUEUED_BOT } from '../queries/broadcasts';
import type { ResultReason } from './contract';

export interface NewBatchRecipient {
  position: number;
  ref: string | null;
  /** Null if the request names no subscriber of the project. */
  subscriber_id: string | null;
  channel: Channel | null;
  content: MessageContent | null;
  status: 'queued' | 'failed' | 'skipped';
  reason: ResultReason | null;
  error: string | null;
}

/** `unknownSubscriber` is stored where the request names no subscriber of the project. */
export async function insertBatchRecipients(
  db: Db,
  batchId: string,
  recipients: NewBatchRecipient[],
  unknownSubscriber: string,
): Promise<void> {
  await change(
    db,
    'insert_batch_recipients',
    `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, bot, content, position, ref, status, reason,
       error, ended_at)
     SELECT $1, coalesce(given.subscriber, $2), coalesce(given.channel, ''), ${QUEUED_BOT}, given.content::jsonb,
       given.position, given.ref, given.status, given.reason, given.error,
       CASE WHEN given.status <> 'queued' THEN now() END
     FROM unnest($3::uuid[], $4::text[], $5::text[], $6::int[], $7::text[], $8::text[], $9::text[], $10::text[])
       AS given (subscriber, channel, content, position, ref, status, reason, error)
     LEFT JOIN subscribers s ON s.id = given.subscriber ${JOIN_OWN_BOT}`,
    [
      batchId,
      unknownSubscriber,
      recipients.map((each) => each.subscriber_id),
      recipients.map((each) => each.channel),
      recipients.map((each) => (each.content ? JSON.stringify(each.content) : null)),
      recipients.map((each) => each.position),
      recipients.map((each) => each.ref),
      recipients.map((each) => each.status),
      recipients.map((each) => each.reason),
      recipients.map((each) => each.error),
    ],
  );
}

/** The relay starts the workflow after this commits. */
export async function insertBatch(db: Db, projectId: string, id: string, total: number): Promise<void> {
  await row(
    db,
    'insert_batch',
    `WITH inserted AS (
       INSERT INTO broadcasts (id, project_id, kind, content, audience, total)
       VALUES ($1, $2, 'batch', '{}', '{}', $3) RETURNING 1)
     SELECT pg_notify($4, '') FROM inserted`,
    [id, projectId, total, notifyChannels.broadcast],
  );
}

export interface BatchResultRow {
  id: string;
  position: number;
  ref: string | null;
  subscriber_id: string;
  channel: Channel | '';
  status: 'queued' | 'sending' | 'sent' | 'failed' | 'skipped';
  reason: ResultReason | null;
}

/** By place in the request; a message to an external_id has a result for each of its subscribers. */
export function listBatchResults(
  db: Db,
  batchId: string,
  { after, limit }: { after: { position: number; id: string }; limit: number },
): Promise<BatchResultRow[]> {
  return rows<BatchResultRow>(
    db,
    'list_batch_results',
    `SELECT id, position, ref, subscriber_id, channel, status, reason FROM broadcast_recipients
     WHERE broadcast_id = $1 AND (position, id) > ($2, $3::uuid) ORDER BY position, id LIMIT $4`,
    [batchId, after.position, after.id, limit + 1],
  );
}
