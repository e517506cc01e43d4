import { randomUUID } from 'node:crypto';
import { eventBody, type EventData, type EventName } from '../contract';
import { currentTraceparent } from '../../lib/tracing';
import { noteChange } from '../../db/changes';
import { notifyAfterCommit, notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';

/**
 * Queues the rows of `delivery`. They are inserted without `start_at`, which marks work of version 0.1.0, and are not
 * overdue while they are queued.
 */
export const QUEUED = `INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, priority, is_first)
       SELECT id, endpoint_id, project_id, CASE WHEN bulk THEN 2 ELSE 1 END, true FROM delivery`;

export interface EmittedEvent {
  id: string;
  deliveries: number;
}

/**
 * Writes an event and one delivery for each matching endpoint. With `db` a transaction's client they exist exactly when
 * their cause does (outbox); the relay is notified after the commit.
 */
export async function emitEvent<N extends EventName>(
  db: Db,
  projectId: string,
  name: N,
  data: EventData<N>,
  { id = null, test = false }: { id?: string | null; test?: boolean } = {},
): Promise<EmittedEvent> {
  const inserted = await row<EmittedEvent>(
    db,
    'emit_event',
    `WITH event AS (
       INSERT INTO events (id, project_id, name, body, traceparent, test)
       VALUES (coalesce($6::uuid, gen_random_uuid()), $1, $2, $3, $4, $5) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, test, start_at, overdue_at)
       SELECT $1, e.id, event.id, $2, e.retry_policy, $5, NULL, 'infinity' FROM endpoints e, event
       WHERE e.project_id = $1 AND e.deleted_at IS NULL AND (e.events = '{}' OR $2 = ANY (e.events))
       RETURNING id, project_id, endpoint_id, bulk
     ), queued AS (
       ${QUEUED}
     )
     SELECT event.id, (SELECT count(*)::int FROM delivery) AS deliveries FROM event`,
    [projectId, name, eventBody(name, data), currentTraceparent(), test, id],
  );
  if (!inserted) throw new Error('the event was not inserted');
  announce(db, projectId);
  return inserted;
}

/** An event that was written before, for a request that is resumed. */
export function findEmitted(db: Db, projectId: string, id: string): Promise<EmittedEvent | null> {
  return row(
    db,
    'find_emitted_event',
    `SELECT e.id, (SELECT count(*)::int FROM deliveries d WHERE d.event_id = e.id) AS deliveries
     FROM events e WHERE e.id = $2 AND e.project_id = $1`,
    [projectId, id],
  );
}

/** Wakes the relay and open pages after the commit. */
function announce(db: Db, projectId: string): void {
  notifyAfterCommit(db, notifyChannels.delivery);
  noteChange(db, 'deliveries', projectId);
}

/** An event for one endpoint only, whatever its filter, marked as a test. Returns the delivery's id. */
export async function emitTestEvent<N extends EventName>(
  db: Db,
  endpoint: { id: string; project_id: string },
  name: N,
  data: EventData<N>,
  deliveryId: string = randomUUID(),
): Promise<string> {
  const inserted = await row<{ id: string }>(
    db,
    'emit_test_event',
    `WITH event AS (
       INSERT INTO events (project_id, name, body, traceparent, test) VALUES ($1, $2, $3, $4, true) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (id, project_id, endpoint_id, event_id, event_name, policy, test, start_at, overdue_at)
       SELECT $6, $1, e.id, event.id, $2, e.retry_policy, true, NULL, 'infinity' FROM endpoints e, event WHERE e.id = $5
       RETURNING id, project_id, endpoint_id, bulk
     ), queued AS (
       ${QUEUED}
     )
     SELECT id FROM delivery`,
    [endpoint.project_id, name, eventBody(name, data), currentTraceparent(), endpoint.id, deliveryId],
  );
  if (!inserted) throw new Error('the delivery was not inserted');
  announce(db, endpoint.project_id);
  return inserted.id;
}

/** One event of many. */
export type BulkEvent = {
  [N in EventName]: { name: N; data: EventData<N> };
}[EventName];

/** As `emitEvent`, for many events in one statement; their deliveries have the lowest priority. */
export async function emitBulkEvents(db: Db, projectId: string, events: BulkEvent[]): Promise<void> {
  if (events.length === 0) return;
  await rows(
    db,
    'emit_bulk_events',
    `WITH event AS (
       INSERT INTO events (project_id, name, body)
       SELECT $1, name, body FROM unnest($2::text[], $3::text[]) AS given (name, body) RETURNING id, name
     ), delivery AS (
       INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, bulk, start_at, overdue_at)
       SELECT $1, e.id, event.id, event.name, e.retry_policy, true, NULL, 'infinity' FROM endpoints e, event
       WHERE e.project_id = $1 AND e.deleted_at IS NULL AND (e.events = '{}' OR event.name = ANY (e.events))
       RETURNING id, project_id, endpoint_id, bulk
     )
     ${QUEUED}`,
    [projectId, events.map((event) => event.name), events.map((event) => eventBody(event.name, event.data))],
  );
  announce(db, projectId);
}
