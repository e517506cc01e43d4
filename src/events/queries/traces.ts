import type { Db } from '../../db/pool';
import { row } from '../../db/query';

/** Asked only while tracing is on: the hot statements carry nothing of it. */
export async function findEventTraceparent(db: Db, deliveryId: string): Promise<string | null> {
  const found = await row<{ traceparent: string | null }>(
    db,
    'find_event_traceparent',
    'SELECT e.traceparent FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.id = $1',
    [deliveryId],
  );
  return found?.traceparent ?? null;
}
