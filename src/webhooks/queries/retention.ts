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
  deliveries: { alongside: 'events' },
  delivery_queue: { alongside: 'deliveries' },
  delivery_retries: { alongside: 'deliveries' },
  undelivered: { alongside: 'deliveries' },
  attempts: { alongside: 'deliveries' },
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

/**
 * Endpoints that were deleted, once their deliveries are gone. Not within the hour: a transaction that began before the
 * deletion may still add a delivery.
 */
function removeDeletedEndpoints(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_deleted_endpoints',
    `WITH removed AS (
       DELETE FROM endpoints WHERE id IN (
         SELECT e.id FROM endpoints e WHERE e.deleted_at < now() - interval '1 hour'
           AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id)
         LIMIT ${BATCH} FOR UPDATE SKIP LOCKED) RETURNING id
     ), hours AS (
       DELETE FROM endpoint_hours WHERE endpoint_id IN (SELECT id FROM removed)
     )
     SELECT id FROM removed`,
  );
}

/**
 * Hourly counts that no view shows any more. An endpoint keeps its newest: `last_delivery_at` is read from it. One that went
 * with its project keeps none.
 */
function removeOldHours(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_endpoint_hours',
    `DELETE FROM endpoint_hours WHERE (endpoint_id, hour) IN (
       SELECT h.endpoint_id, h.hour FROM endpoint_hours h LEFT JOIN endpoints e ON e.id = h.endpoint_id
       WHERE h.hour < now() - interval '${limits.webhookStatsDays} days' AND (e.id IS NULL OR e.deleted_at IS NOT NULL
         OR EXISTS (SELECT 1 FROM endpoint_hours newer WHERE newer.endpoint_id = h.endpoint_id AND newer.hour > h.hour))
       LIMIT ${BATCH} FOR UPDATE OF h SKIP LOCKED)`,
  );
}
