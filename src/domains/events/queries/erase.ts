import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { MORE, type Next, scheduleAt } from '../../../base/agenda';
import { BATCH_ROWS } from '../../../base/db/batches';
import type { Person } from '../../../base/db/personal-data';
import { withTransaction, type Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { deliveriesOfEvents } from '../fan-out';

/** The kind of the agenda: one entry for the events that a transaction has marked. It does not name the person. */
export const EVENT_ERASURES = 'event-erasures';

/** The events that one transaction erases, with their deliveries. */
const BATCH = 500;

/**
 * Deletes events with their deliveries and attempts, except those that are in use (see `Deliveries.eventsInUse`), whose
 * ids it returns. Runs in a transaction.
 */
export async function removeEvents(
  db: Db,
  ids: readonly string[],
  endedDays: number | null = null,
): Promise<{ removed: number; inUse: string[] }> {
  if (ids.length === 0) return { removed: 0, inUse: [] };
  const inUse = await deliveriesOfEvents.get().eventsInUse(db, ids, endedDays);
  const used = new Set(inUse);
  const unused = ids.filter((id) => !used.has(id));
  // The events first: that waits for the search index, so that the words it has just written are deleted, too.
  const removed = await change(
    db,
    'remove_events',
    `WITH erasure AS (DELETE FROM event_erasures WHERE event_id = ANY ($1::uuid[]))
     DELETE FROM events WHERE id = ANY ($1::uuid[])`,
    [unused],
  );
  await deliveriesOfEvents.get().remove(db, unused);
  return { removed, inUse };
}

/**
 * Erases the events of a person who is being removed, 500 of them at once. The event `latest` is checked later, because its
 * deliveries are about to be made.
 */
export async function eraseEventsOf(
  db: Db,
  person: Pick<Person, 'id' | 'project_id'>,
  latest: string | null,
): Promise<void> {
  const id = randomUUID();
  await change(
    db,
    'mark_events_for_erasure',
    `INSERT INTO event_erasures (event_id, erasure_id, check_at)
     SELECT e.id, $4, clock_timestamp() + CASE WHEN e.id = $3 THEN interval '5 seconds' ELSE interval '0' END
     FROM events e WHERE e.subscriber_id = $2 AND e.project_id = $1
     ON CONFLICT (event_id) DO NOTHING`,
    [person.project_id, person.id, latest, id],
  );
  const next = await eraseDueEvents(db, id);
  if (next !== null) await scheduleAt(db, EVENT_ERASURES, [{ id, project_id: person.project_id, at: next }]);
}

/** Erases the next events of a person; those with an open delivery are marked, and erased when it has ended. */
export function eraseNextEventsOf(pool: pg.Pool, person: Pick<Person, 'id' | 'project_id'>): Promise<number> {
  return withTransaction(pool, async (db) => {
    const next = await rows<{ id: string }>(
      db,
      'next_events_of_person',
      `SELECT e.id FROM events e WHERE e.subscriber_id = $1 AND e.project_id = $2
         AND NOT EXISTS (SELECT 1 FROM event_erasures x WHERE x.event_id = e.id) LIMIT ${BATCH_ROWS}`,
      [person.id, person.project_id],
    );
    if (next.length === 0) return 0;
    const { inUse } = await removeEvents(
      db,
      next.map(({ id }) => id),
    );
    if (inUse.length === 0) return next.length;
    const id = randomUUID();
    await change(
      db,
      'mark_used_events_for_erasure',
      `INSERT INTO event_erasures (event_id, erasure_id, check_at)
       SELECT id, $2, clock_timestamp() + interval '1 second' FROM unnest($1::uuid[]) AS used (id)
       ON CONFLICT (event_id) DO NOTHING`,
      [inUse, id],
    );
    await scheduleAt(db, EVENT_ERASURES, [{ id, project_id: person.project_id, at: { inMs: 1_000 } }]);
    return next.length;
  });
}

/** Erases due events without an open delivery; the others wait. Returns when the next are due. Runs in a transaction. */
export async function eraseDueEvents(db: Db, erasureId: string): Promise<Next> {
  const due = await rows<{ event_id: string }>(
    db,
    'lock_due_erasures',
    `SELECT event_id FROM event_erasures WHERE erasure_id = $1 AND check_at <= clock_timestamp()
     ORDER BY check_at, event_id LIMIT ${BATCH} FOR UPDATE`,
    [erasureId],
  );
  const { inUse } = await removeEvents(
    db,
    due.map(({ event_id }) => event_id),
  );
  await postponeErasures(db, inUse);
  if (due.length === BATCH) return MORE;
  const next = await row<{ check_at: Date | null }>(
    db,
    'next_erasure',
    'SELECT min(check_at) AS check_at FROM event_erasures WHERE erasure_id = $1',
    [erasureId],
  );
  return next?.check_at ?? null;
}

/** Each waits for as long as it has waited: an event that stays open for days is checked a few times. */
async function postponeErasures(db: Db, eventIds: string[]): Promise<void> {
  if (eventIds.length === 0) return;
  await change(
    db,
    'postpone_erasures',
    `UPDATE event_erasures
     SET check_at = clock_timestamp() + greatest(interval '1 second', clock_timestamp() - requested_at)
     WHERE event_id = ANY ($1::uuid[])`,
    [eventIds],
  );
}
