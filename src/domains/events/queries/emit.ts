import type pg from 'pg';
import { parseSubscriberId } from '../../../base/contract/ids';
import { eventBody, type EventData, type EventName } from '../contract';
import { deliveriesOfEvents, type FanOutEvent } from '../fan-out';
import { wakeFollowers } from '../followers';
import { uuidv7 } from '../../../base/lib/uuid';
import { currentTraceparent } from '../../../base/lib/tracing';
import { isPool, withPipelinedTransaction, type Db } from '../../../base/db/pool';
import { change, row, USE_STORED_PLANS } from '../../../base/db/query';
import { LOCK_STREAMS } from './stream';

export interface EmittedEvent {
  id: string;
  deliveries: number;
}

/** One event of several. */
export type NewEvent = {
  [N in EventName]: { name: N; data: EventData<N> };
}[EventName];

/**
 * Writes an event and one delivery for each matching endpoint. With `db` a transaction's client they exist exactly when
 * their cause does (outbox).
 */
export async function emitEvent<N extends EventName>(
  db: Db,
  projectId: string,
  name: N,
  data: EventData<N>,
  { id = uuidv7(), test = false, only }: { id?: string; test?: boolean; only?: FanOutEvent['only'] } = {},
): Promise<EmittedEvent> {
  const event = rowOf({ name, data } as NewEvent, id);
  const [, written] = await withFanOut(db, [projectId], [{ id, only }], (tx) =>
    insertEvents(tx, projectId, [event], { test, traceparent: currentTraceparent() }),
  );
  return { id, deliveries: written.get(id) ?? 0 };
}

/** As `emitEvent`, for several events, in their order. Deliveries of `bulk` ones have the lowest priority. */
export async function emitEvents(
  db: Db,
  projectId: string,
  events: NewEvent[],
  { bulk = false } = {},
): Promise<void> {
  if (events.length === 0) return;
  const rows = events.map((event) => rowOf(event));
  await withFanOut(
    db,
    [projectId],
    rows.map(({ id }) => ({ id, bulk })),
    (tx) =>
      insertEvents(tx, projectId, rows, { test: false, traceparent: bulk ? null : currentTraceparent() }),
  );
}

/** An event for one endpoint only, whatever its filter, marked as a test. Returns the delivery's id. */
export async function emitTestEvent<N extends EventName>(
  db: Db,
  endpoint: { id: string; project_id: string },
  name: N,
  data: EventData<N>,
  deliveryId: string = uuidv7(),
): Promise<string> {
  const only = { endpointId: endpoint.id, deliveryId };
  const emitted = await emitEvent(db, endpoint.project_id, name, data, { test: true, only });
  if (emitted.deliveries === 0) throw new Error('the delivery was not inserted');
  return deliveryId;
}

type EventRow = { id: string; name: string; body: string; subscriberId: string | null };

function rowOf({ name, data }: NewEvent, id: string = uuidv7()): EventRow {
  return { id, name, body: eventBody(name, data), subscriberId: subscriberOf(data) };
}

/** Whom an event is about: their id as it is stored, whichever form the data has. */
export function subscriberOf(data: object): string | null {
  const id = 'subscriber_id' in data ? data.subscriber_id : null;
  return typeof id === 'string' ? parseSubscriberId(id) : null;
}

function insertEvents(
  db: Db,
  projectId: string,
  events: EventRow[],
  { test, traceparent }: { test: boolean; traceparent: string | null },
): Promise<number> {
  return change(
    db,
    'insert_events',
    `INSERT INTO events (id, project_id, name, body, subscriber_id, traceparent, test)
     SELECT id, $1, name, body, subscriber_id, $6, $7
     FROM unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[]) AS given (id, name, body, subscriber_id)`,
    [
      projectId,
      events.map(({ id }) => id),
      events.map(({ name }) => name),
      events.map(({ body }) => body),
      events.map(({ subscriberId }) => subscriberId),
      traceparent,
      test,
    ],
  );
}

/** Writes events and their deliveries in one transaction and one round trip; after the commit wakes their relays and streams. */
export async function withFanOut<T>(
  db: Db,
  projectIds: string[],
  events: readonly FanOutEvent[],
  insert: (db: Db) => Promise<T>,
): Promise<[T, Map<string, number>]> {
  const send = async (tx: Db): Promise<[T, Map<string, number>]> => {
    const [, inserted, deliveries] = await Promise.all([
      row(tx, 'begin_events', `${USE_STORED_PLANS}, (${LOCK_STREAMS})`, [projectIds]),
      insert(tx),
      deliveriesOfEvents.get().fanOut(tx, events),
    ]);
    return [inserted, deliveries];
  };
  const written = await (isPool(db) ? withPipelinedTransaction(db as pg.Pool, send) : send(db));
  wakeFollowers(db);
  return written;
}
