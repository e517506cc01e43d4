import { limits } from '../../contract/limits';
import { inTransaction, type Db } from '../../db/pool';
import {
  BATCH,
  removeOldPages,
  repeatedDelete,
  retentionDays,
  type NextBatch,
  type Retention,
} from '../../db/retention';
import { removeEvents } from './erase';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  events: { after: `${retentionDays} after the last delivery ended`, remove: removeOldEvents },
  event_erasures: { alongside: 'events' },
  published_ids: { after: `${limits.publishedIdDays} days`, remove: removeOldPublishedIds },
};

/** Events with their deliveries, attempts and retries, unless a delivery is open or ended within the retention. */
function removeOldEvents(db: Db, days: number): NextBatch {
  return removeOldPages(db, { table: 'events', id: 'id', age: 'created_at', days }, (ids) =>
    inTransaction(db, async (tx) => (await removeEvents(tx, ids, days)).removed),
  );
}

function removeOldPublishedIds(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_published_ids',
    `DELETE FROM published_ids WHERE (project_id, id) IN (
       SELECT project_id, id FROM published_ids WHERE created_at < now() - interval '${limits.publishedIdDays} days'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
