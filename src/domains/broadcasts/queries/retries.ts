import { JOIN_OWN_BOT } from '../../bots';
import { BATCH_ROWS } from '../../../base/db/batches';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { QUEUED_BOT, type AudienceCopy } from './broadcasts';
import { RESULT_AT } from './result-lists';

/** Failed recipients who are still subscribers, active or not. */
export async function countFailed(db: Db, id: string): Promise<number> {
  const counted = await row<{ count: number }>(
    db,
    'count_failed_recipients',
    `SELECT count(*) AS count FROM broadcast_recipients r JOIN subscribers s ON s.id = r.subscriber_id
     WHERE r.broadcast_id = $1 AND r.status = 'failed'`,
    [id],
  );
  return counted?.count ?? 0;
}

/** The retry of a broadcast, if there is one. */
export async function findRetry(db: Db, id: string): Promise<string | null> {
  const found = await row<{ id: string }>(db, 'find_retry', 'SELECT id FROM broadcasts WHERE retry_of = $1', [
    id,
  ]);
  return found?.id ?? null;
}

/**
 * Copies the next failed recipients of a broadcast into its retry, newest first. One who has lost the permission since is
 * skipped. Returns how far it came; unsubscribed ones are skipped when they are claimed.
 */
export function copyFailed(
  db: Db,
  { id, retry_of, audience, copied_at, copied_id }: AudienceCopy,
): Promise<{ id: string; created_at: string }[]> {
  return rows(
    db,
    'copy_failed_recipients',
    `WITH page AS (
       SELECT r.id, ${RESULT_AT} AS at, s.id AS subscriber_id, s.channel, ${QUEUED_BOT} AS bot,
         $5::text IS NOT NULL AND NOT s.permissions @> ARRAY[$5::text] AS skip
       FROM broadcast_recipients r JOIN subscribers s ON s.id = r.subscriber_id ${JOIN_OWN_BOT}
       WHERE r.broadcast_id = $2 AND r.status = 'failed' AND (${RESULT_AT}, r.id) < ($3::text::timestamptz, $4::uuid)
       ORDER BY ${RESULT_AT} DESC, r.id DESC LIMIT ${BATCH_ROWS}
     ), copied AS (
       INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel, bot, is_message, status, reason, ended_at)
       SELECT $1, subscriber_id, channel, bot, NOT skip, CASE WHEN skip THEN 'skipped' ELSE 'queued' END,
         CASE WHEN skip THEN 'permission_missing' END, CASE WHEN skip THEN now() END FROM page
     )
     SELECT id, at::text AS created_at FROM page ORDER BY at DESC, id DESC`,
    [id, retry_of, copied_at, copied_id, audience.permission ?? null],
  );
}
