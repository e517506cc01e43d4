import type { Db } from './pool';
import { row } from './query';

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

export async function findSessionTraceparent(db: Db, sessionId: string): Promise<string | null> {
  const found = await row<{ traceparent: string | null }>(
    db,
    'find_session_traceparent',
    'SELECT traceparent FROM auth_sessions WHERE id = $1',
    [sessionId],
  );
  return found?.traceparent ?? null;
}
