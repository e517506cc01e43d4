import type { Channel } from '../../../base/contract/common';
import { BATCH_ROWS } from '../../../base/db/batches';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { BroadcastCounts } from './broadcasts';

/** Counts the recipients without a result. The caller holds the broadcast's row lock. */
export async function countOpenRecipients(db: Db, id: string): Promise<{ queued: number; sending: number }> {
  const open = await row<{ queued: number; sending: number }>(
    db,
    'count_open_recipients',
    `SELECT count(*) FILTER (WHERE status = 'queued') AS queued, count(*) FILTER (WHERE status = 'sending') AS sending
     FROM broadcast_recipients WHERE broadcast_id = $1 AND status IN ('queued', 'sending')`,
    [id],
  );
  return open ?? { queued: 0, sending: 0 };
}

/**
 * The next ones of a broadcast that is being cancelled. A cancel and the worker can do it at the same time. The ids are an
 * array: with statistics from before a large broadcast, a join would read them again for each queued recipient.
 */
export function skipQueuedRecipients(db: Db, id: string): Promise<number> {
  return change(
    db,
    'skip_queued_recipients',
    `UPDATE broadcast_recipients SET status = 'skipped', reason = 'cancelled', ended_at = now()
     WHERE id = ANY (ARRAY(
       SELECT r.id FROM broadcasts b JOIN broadcast_recipients r ON r.broadcast_id = b.id
       WHERE b.id = $1 AND b.status = 'cancelling' AND r.status = 'queued'
       LIMIT ${BATCH_ROWS} FOR UPDATE OF r SKIP LOCKED))`,
    [id],
  );
}

/** Whether a recipient was skipped because their own time had passed too long before. */
export async function hasTooLate(db: Db, id: string): Promise<boolean> {
  const found = await row(
    db,
    'has_too_late_recipient',
    `SELECT 1 FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'skipped' AND reason = 'too_late' LIMIT 1`,
    [id],
  );
  return found !== null;
}

/** Why most of the failed recipients did not get their message. */
export async function mostFrequentFailure(db: Db, id: string): Promise<string> {
  const found = await row<{ reason: string }>(
    db,
    'most_frequent_failure',
    `SELECT reason FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'failed' AND reason IS NOT NULL
     GROUP BY reason ORDER BY count(*) DESC, reason LIMIT 1`,
    [id],
  );
  return found?.reason ?? 'unknown';
}

export interface LostRecipient {
  subscriber_id: string;
  channel: Channel;
  external_id: string | null;
}

/**
 * Fails recipients that a dead worker was sending to: their outcome is unknown, and a cancelled broadcast does not send
 * again. Returns those who are still subscribers.
 */
export function failLostRecipients(db: Db, id: string, error: string): Promise<LostRecipient[]> {
  return rows<LostRecipient>(
    db,
    'fail_lost_recipients',
    `WITH lost AS (
       UPDATE broadcast_recipients SET status = 'failed', reason = 'unknown', error = $2, ended_at = now(), token = NULL
       WHERE broadcast_id = $1 AND status = 'sending' RETURNING subscriber_id, channel)
     SELECT lost.subscriber_id, lost.channel, s.external_id
     FROM lost JOIN subscribers s ON s.id = lost.subscriber_id`,
    [id, error],
  );
}

export interface JobEnd extends BroadcastCounts {
  total: number;
  ended_at: Date;
}

/**
 * Writes the end status and the final counts, which add up to the total: an audience that was not copied before the
 * broadcast was cancelled is skipped.
 */
export async function endBroadcast(db: Db, id: string, status: 'completed' | 'cancelled'): Promise<JobEnd> {
  const ended = await row<JobEnd>(
    db,
    'end_broadcast',
    `UPDATE broadcasts b SET status = $2, ended_at = now(), run_token = NULL, sent = c.sent, failed = c.failed,
       skipped = b.total - c.sent - c.failed, possible_duplicates = c.resent
     FROM (SELECT count(*) FILTER (WHERE status = 'sent') AS sent, count(*) FILTER (WHERE status = 'failed') AS failed,
             count(*) FILTER (WHERE resent) AS resent
           FROM broadcast_recipients WHERE broadcast_id = $1) c
     WHERE b.id = $1 RETURNING b.sent, b.failed, b.skipped, b.possible_duplicates, b.total, b.ended_at`,
    [id, status],
  );
  if (!ended) throw new Error('the broadcast row disappeared while it was locked');
  return ended;
}
