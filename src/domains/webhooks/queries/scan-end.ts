import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';

/** Deliveries of one endpoint that a page with a filter by event reads at most. */
const MOST_SCANNED = 10_000;

/**
 * Where a page with a filter by event ends at the latest: no index has the event, so one that never occurs would read the
 * whole log. Null where the rest of the log is short enough. Of several endpoints the newest such place counts.
 */
export function findScanEnd(
  db: Db,
  projectId: string,
  {
    endpointId,
    since,
    before,
  }: { endpointId?: string | undefined; since?: string | undefined; before: Cursor | null },
): Promise<Cursor | null> {
  return row<Cursor>(
    db,
    'find_scan_end',
    `SELECT ${cursorTime('d.created_at')} AS at, d.id FROM endpoints e CROSS JOIN LATERAL (
       SELECT d.created_at, d.id FROM deliveries d
       WHERE d.endpoint_id = e.id AND d.created_at >= coalesce($3::timestamptz, '-infinity')
         AND (d.created_at, d.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       ORDER BY d.created_at DESC, d.id DESC OFFSET $6 LIMIT 1) d
     WHERE e.project_id = $1 AND ($2::uuid IS NULL OR e.id = $2)
     ORDER BY d.created_at DESC, d.id DESC LIMIT 1`,
    [projectId, endpointId ?? null, since ?? null, before?.at ?? null, before?.id ?? null, MOST_SCANNED - 1],
  );
}
