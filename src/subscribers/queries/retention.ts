import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import {
  BATCH,
  removeOld,
  repeatedDelete,
  retentionDays,
  type NextBatch,
  type Retention,
} from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  imports: { after: retentionDays, remove: removeOldImports },
  import_chunks: { with: 'imports' },
  subscribe_links: { after: `${retentionDays} after it expired or was used up`, remove: removeEndedLinks },
  subscribers: { bounded: 'A project keeps them until it deletes them.' },
  label_changes: { bounded: 'A row ends with the last subscriber who has the old name.' },
  project_labels: { bounded: 'A project has at most 20 tags and 20 permissions.' },
};

/** Also those that no worker has completed, and those whose request died before the file was stored. */
function removeOldImports(db: Db, days: number): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_imports',
    `DELETE FROM imports WHERE id IN (
       SELECT id FROM imports WHERE created_at < now() - make_interval(days => $1)
         OR ended_at IS NULL AND NOT is_stored AND created_at < now() - interval '${limits.idempotencyHours + 1} hours'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
    [days],
  );
}

/** Links that have ended: expired, or used up. */
function removeEndedLinks(db: Db, days: number): NextBatch {
  return removeOld(db, {
    table: 'subscribe_links',
    id: 'id',
    age: 'created_at',
    days,
    where: `(t.expires_at < now() - make_interval(days => $3)
      OR t.uses >= t.max_uses AND t.last_used_at < now() - make_interval(days => $3))`,
  });
}
