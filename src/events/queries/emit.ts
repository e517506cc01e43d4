import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { eventBody, type EventData, type EventName } from '../contract';
import { deliveriesOfEvents, type FanOutEvent } from '../fan-out';
import { currentTraceparent } from '../../lib/tracing';
import { notifyAfterCommit, notifyChannels } from '../../db/notify';
import { isPool, withPipelinedTransaction, type Db } from '../../db/pool';
import { change } from '../../db/query';

export interface EmittedEvent {
  id: string;
  deliveries: number;
}

/** One event of many. */
export type BulkEvent = {
  [N in EventName]: { name: N; data: EventData<N> };
}[EventName];

/**
 * Writes an event and one delivery for each matching endpoint. With `db` a transaction's client they exist exactly when
 * their cause does (outbox); the relay is notified after the commit.
 */
export async function emitEvent<N extends EventName>(
  db: Db,
  projectId: string,
  name: N,
  data: EventData<N>,
  { id = randomUUID(), test = false, only }: { id?: string; test?: boolean; only?: FanOutEvent['only'] } = {},
): Promise<EmittedEvent> {
  const [, written] = await withFanOut(db, [{ id, only }], (tx) =>
    insertEvents(tx, projectId, [{ id, name, body: eventBody(name, data) }], {
      test,
      traceparent: currentTraceparent(),
    }),
  );
  return { id, deliveries: written.get(id) ?? 0 };
}

/** An event for one endpoint only, whatever its filter, marked as a test. Returns the delivery's id. */
export async function emitTestEvent<N extends EventName>(
  db: Db,
  endpoint: { id: string; project_id: string },
  name: N,
  data: EventData<N>,
  deliveryId: string = randomUUID(),
): Promise<string> {
  const only = { endpointId: endpoint.id, deliveryId };
  const emitted = await emitEvent(db, endpoint.project_id, name, data, { test: true, only });
  if (emitted.deliveries === 0) throw new Error('the delivery was not inserted');
  return deliveryId;
}

/** As `emitEvent`, for many events at once; their deliveries have the lowest priority. */
export async function emitBulkEvents(db: Db, projectId: string, events: BulkEvent[]): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map(({ name, data }) => ({ id: randomUUID(), name, body: eventBody(name, data) }));
  await withFanOut(
    db,
    rows.map(({ id }) => ({ id, bulk: true })),
    (tx) => insertEvents(tx, projectId, rows, { test: false, traceparent: null }),
  );
}

function insertEvents(
  db: Db,
  projectId: string,
  events: { id: string; name: string; body: string }[],
  { test, traceparent }: { test: boolean; traceparent: string | null },
): Promise<number> {
  return change(
    db,
    'insert_events',
    `INSERT INTO events (id, project_id, name, body, traceparent, test)
     SELECT id, $1, name, body, $5, $6 FROM unnest($2::uuid[], $3::text[], $4::text[]) AS given (id, name, body)`,
    [
      projectId,
      events.map(({ id }) => id),
      events.map(({ name }) => name),
      events.map(({ body }) => body),
      traceparent,
      test,
    ],
  );
}

/** Writes events and their deliveries in one transaction and one round trip; the relay and streams wake after the commit. */
export async function withFanOut<T>(
  db: Db,
  events: readonly FanOutEvent[],
  insert: (db: Db) => Promise<T>,
): Promise<[T, Map<string, number>]> {
  const send = (tx: Db) => Promise.all([insert(tx), deliveriesOfEvents.get().fanOut(tx, events)]);
  const written = await (isPool(db) ? withPipelinedTransaction(db as pg.Pool, send) : send(db));
  notifyAfterCommit(db, notifyChannels.delivery);
  return written;
}
