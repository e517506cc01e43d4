import { eventBody, type EventData, type EventName } from '../contract';
import { LANE } from './emit';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { rows } from '../../db/query';

/** An event that is one of very many. */
export type BulkEvent = {
  [N in EventName]: { name: N; data: EventData<N> };
}[EventName];

/** As `emitEvent`, for many events in one statement; their deliveries are started after everybody else's. */
export async function emitBulkEvents(db: Db, projectId: string, events: BulkEvent[]): Promise<void> {
  if (events.length === 0) return;
  await rows(
    db,
    'emit_bulk_events',
    `WITH event AS (
       INSERT INTO events (project_id, name, body)
       SELECT $1, name, body FROM unnest($2::text[], $3::text[]) AS given (name, body) RETURNING id, name
     ), delivery AS (
       INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, lane, bulk)
       SELECT $1, e.id, event.id, event.name, e.retry_policy, ${LANE}, true FROM endpoints e, event
       WHERE e.project_id = $1 AND e.deleted_at IS NULL AND (e.events = '{}' OR event.name = ANY (e.events))
       RETURNING 1
     )
     SELECT pg_notify($4, '') FROM delivery LIMIT 1`,
    [
      projectId,
      events.map((event) => event.name),
      events.map((event) => eventBody(event.name, event.data)),
      notifyChannels.delivery,
    ],
  );
}
