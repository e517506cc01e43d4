import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import { cancelAbandoned } from '../../webhooks/queries/deliveries';
import { BATCH, inBatches } from './in-batches';

/**
 * Deletes events, with their deliveries, attempts and retries, unless a delivery is open or ended within the retention.
 */
export function removeOldEvents(db: Db, days: number): Promise<number> {
  return inBatches(() =>
    change(
      db,
      'remove_old_events',
      `DELETE FROM events WHERE id IN (
         SELECT e.id FROM events e
         WHERE e.created_at < now() - make_interval(days => $1)
           AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.event_id = e.id
                           AND (d.status = 'pending' OR d.ended_at >= now() - make_interval(days => $1)))
         LIMIT $2)`,
      [days, BATCH],
    ),
  );
}

/** Deletes endpoints that were deleted and have no deliveries left, and expired secrets. */
export async function removeEndpointRemains(db: Db): Promise<void> {
  await change(
    db,
    'remove_deleted_endpoints',
    `DELETE FROM endpoints e WHERE e.deleted_at IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.endpoint_id = e.id)`,
  );
  await change(db, 'remove_expired_secrets', 'DELETE FROM endpoint_secrets WHERE expires_at < now()');
}

/**
 * Cancels deliveries that were paused for too long, and those of a deleted endpoint whose event committed at the same
 * time as the deletion.
 */
export function cancelAbandonedDeliveries(db: Db): Promise<number> {
  return inBatches(() => cancelAbandoned(db, limits.webhookPausedDays, BATCH));
}
