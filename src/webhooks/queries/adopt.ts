import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import { ORDINARY } from './queue';

/**
 * Moves what version 0.1.0 has left to do into the queue: it marks such deliveries by `start_at`, and a first attempt in
 * flight by its lease. A process of 0.1.0 may still be running during an upgrade. To be removed one release later.
 */
export function adoptFormerDeliveries(db: Db): Promise<number> {
  return change(
    db,
    'adopt_former_deliveries',
    `WITH due AS (
       UPDATE deliveries d SET start_at = NULL, slot_until = NULL, started = d.started OR d.attempts > 0,
         lane = CASE WHEN d.attempts = 0 AND NOT d.started THEN NULL ELSE d.lane END
       WHERE d.id IN (
         SELECT id FROM deliveries WHERE status = 'pending' AND start_at IS NOT NULL AND start_at <= now()
         UNION ALL
         SELECT id FROM deliveries WHERE status IN ('cancelled', 'failed') AND start_at IS NOT NULL AND start_at <= now())
       RETURNING d.id, d.endpoint_id, d.project_id, d.bulk, d.status, d.lane, d.attempts, d.started, d.round, d.served,
         d.next_attempt_at
     ), lost AS (
       UPDATE deliveries d SET lease_token = NULL, lease_until = NULL, slot_until = NULL
       WHERE d.lease_token IS NOT NULL AND d.lease_until < now() AND d.status = 'pending'
       RETURNING d.id, d.endpoint_id, d.project_id, d.bulk
     )
     INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, priority, due_at, is_first, needs_slot, holder,
       claimed_at, lease_until)
     SELECT d.id, d.endpoint_id, d.project_id, ${ORDINARY}, now(), d.attempts = 0 AND NOT d.started AND d.round <= d.served,
       d.status = 'pending' AND (d.lane IS DISTINCT FROM 'express' OR d.attempts <> 1 OR d.next_attempt_at <= now()
         OR d.round > d.served), NULL, NULL, NULL FROM due d
     UNION ALL
     SELECT d.id, d.endpoint_id, d.project_id, ${ORDINARY}, now(), false, true, 'express', now(), now() FROM lost d
     ON CONFLICT (delivery_id) DO NOTHING`,
  );
}
