import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';

/** Open scheduled and recurring messages, and the project's limit of entries. The caller holds the project's lock. */
export async function countOpenEntries(
  db: Db,
  projectId: string,
  byDefault: number,
): Promise<{ open: number; allowed: number }> {
  const counted = await row<{ open: number; allowed: number }>(
    db,
    'count_open_entries',
    `SELECT (SELECT count(*) FROM scheduled WHERE project_id = $1 AND ended_at IS NULL)
         + (SELECT count(*) FROM recurring WHERE project_id = $1 AND ended_at IS NULL) AS open,
       coalesce((SELECT scheduled_entries FROM projects WHERE id = $1), $2::int) AS allowed`,
    [projectId, byDefault],
  );
  return counted ?? { open: 0, allowed: byDefault };
}
