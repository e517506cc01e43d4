import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import {
  BATCH,
  removeExpired,
  removeOld,
  repeatedDelete,
  type NextBatch,
  type Retention,
} from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  event_words: { after: `${limits.webhookSearchDays} days`, remove: removeOldWords },
  event_words_progress: { bounded: 'One row.' },
  deliveries: { with: 'events' },
  delivery_queue: { with: 'deliveries' },
  delivery_retries: { with: 'deliveries' },
  attempts: { with: 'deliveries' },
  endpoints: { after: 'deleted, and the last delivery removed', remove: removeDeletedEndpoints },
  endpoint_hours: { after: `${limits.webhookStatsDays} days`, remove: removeOldHours },
  endpoint_secrets: { after: 'replaced, 24 hours', remove: (db) => removeExpired(db, 'endpoint_secrets') },
};

function removeOldWords(db: Db): NextBatch {
  return removeOld(db, {
    table: 'event_words',
    id: 'event_id',
    age: 'created_at',
    days: limits.webhookSearchDays,
  });
}

/** Endpoints that were deleted, once their deliveries are gone. */
function removeDeletedEndpoints(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_deleted_endpoints',
    `DELETE FROM endpoints WHERE id IN (
       SELECT e.id FROM endpoints e WHERE e.deleted_at IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id)
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

/** Hourly counts that no view shows any more. An endpoint keeps its newest: `last_delivery_at` is read from it. */
function removeOldHours(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_endpoint_hours',
    `DELETE FROM endpoint_hours WHERE (endpoint_id, hour) IN (
       SELECT h.endpoint_id, h.hour FROM endpoint_hours h JOIN endpoints e ON e.id = h.endpoint_id
       WHERE h.hour < now() - interval '${limits.webhookStatsDays} days' AND (e.deleted_at IS NOT NULL
         OR EXISTS (SELECT 1 FROM endpoint_hours newer WHERE newer.endpoint_id = h.endpoint_id AND newer.hour > h.hour))
       LIMIT ${BATCH} FOR UPDATE OF h SKIP LOCKED)`,
  );
}
