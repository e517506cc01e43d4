import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { rows } from '../../../base/db/query';
import type { BroadcastResult } from '../contract';
import type { ResultRow } from '../results';

/** SQL: when a recipient `r` got its result; those without one come last. As in the index that it is sorted by. */
export const RESULT_AT = `coalesce(r.ended_at, 'epoch')`;

export interface BroadcastResultRow extends ResultRow {
  reason: BroadcastResult['reason'];
  cursor_at: string;
}

/** Newest first, by the index of each status. Returns one row more than the limit if there is another page. */
export function listBroadcastResults(
  db: Db,
  broadcastId: string,
  {
    statuses,
    before,
    limit,
  }: { statuses: readonly ResultRow['status'][]; before: Cursor | null; limit: number },
): Promise<BroadcastResultRow[]> {
  return rows<BroadcastResultRow>(
    db,
    'list_broadcast_results',
    `SELECT r.id, r.subscriber_id, r.channel, r.status, r.reason, ${cursorTime('r.at')} AS cursor_at
     FROM unnest($2::text[]) AS wanted (status) CROSS JOIN LATERAL (
       SELECT r.id, r.subscriber_id, r.channel, r.status, r.reason, ${RESULT_AT} AS at FROM broadcast_recipients r
       WHERE r.broadcast_id = $1 AND r.status = wanted.status AND (${RESULT_AT}, r.id)
         < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       ORDER BY ${RESULT_AT} DESC, r.id DESC LIMIT $5) r
     ORDER BY r.at DESC, r.id DESC LIMIT $5`,
    [broadcastId, statuses, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}
