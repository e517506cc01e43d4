import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import type { FailureReason } from '../../events/contract';
import { ERASED_SUBSCRIBER_ID } from '../../subscribers';
import type { BroadcastRun } from './runs';

/** Records that a recipient has got the media; its text follows. Returns false if a newer run has taken over. */
export async function recordRecipientMedia(
  db: Db,
  run: BroadcastRun,
  id: string,
  messageId: string,
): Promise<boolean> {
  const recorded = await change(
    db,
    'record_recipient_media',
    `UPDATE broadcast_recipients SET media_message_id = CASE WHEN subscriber_id <> '${ERASED_SUBSCRIBER_ID}' THEN $4 END
     WHERE id = $3 AND broadcast_id = $1 AND status = 'sending' AND token = $2`,
    [run.id, run.token, id, messageId],
  );
  return recorded > 0;
}

/** `queued`: a transient failure; the message was not delivered. */
export type RecipientResult = { id: string } & (
  | { status: 'sent'; platformMessageId: string }
  | { status: 'failed'; reason: FailureReason; error: string }
  | { status: 'queued'; tries: number }
);

/**
 * Records results and returns the ids recorded, with the time. Results of recipients that a newer run has taken over
 * are ignored; of a subscriber who was removed meanwhile only the status is recorded.
 */
export async function recordRecipients(
  db: Db,
  run: BroadcastRun,
  results: RecipientResult[],
): Promise<{ ids: Set<string>; at: Date }> {
  const recorded = await rows<{ id: string; erased: boolean; at: Date }>(
    db,
    'record_recipients',
    `UPDATE broadcast_recipients r SET status = given.status, reason = given.reason,
       platform_message_id = CASE WHEN r.subscriber_id <> '${ERASED_SUBSCRIBER_ID}' THEN given.message END,
       error = CASE WHEN r.subscriber_id <> '${ERASED_SUBSCRIBER_ID}' THEN given.error END, tries = coalesce(given.tries, r.tries), token = NULL,
       ended_at = CASE WHEN given.status <> 'queued' THEN clock_timestamp() END
     FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int[])
       AS given (id, status, message, reason, error, tries)
     WHERE r.id = given.id AND r.broadcast_id = $1 AND r.status = 'sending' AND r.token = $2
     RETURNING r.id, r.subscriber_id = '${ERASED_SUBSCRIBER_ID}' AS erased, clock_timestamp() AS at`,
    [
      run.id,
      run.token,
      results.map((result) => result.id),
      results.map((result) => result.status),
      results.map((result) => (result.status === 'sent' ? result.platformMessageId : null)),
      results.map((result) => (result.status === 'failed' ? result.reason : null)),
      results.map((result) => (result.status === 'failed' ? result.error : null)),
      results.map((result) => (result.status === 'queued' ? result.tries : null)),
    ],
  );
  const ids = recorded.filter(({ erased }) => !erased).map(({ id }) => id);
  return { ids: new Set(ids), at: recorded[0]?.at ?? new Date() };
}
