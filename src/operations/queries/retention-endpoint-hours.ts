import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { BATCH, repeatedDelete, type NextBatch } from './removal';

/** Hourly counts of endpoints that no view shows any more. */
export function removeOldEndpointHours(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_endpoint_hours',
    `DELETE FROM endpoint_hours WHERE (endpoint_id, hour) IN (
       SELECT endpoint_id, hour FROM endpoint_hours
       WHERE hour < now() - interval '${limits.webhookStatsDays} days' LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
