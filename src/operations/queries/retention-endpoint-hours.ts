import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { BATCH, repeatedDelete, type NextBatch } from './removal';

/** Hourly counts that no view shows any more. An endpoint keeps its newest: `last_delivery_at` is read from it. */
export function removeOldEndpointHours(db: Db): NextBatch {
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
