import type pg from 'pg';
import { BATCH_ROWS } from '../../db/batches';
import type { Person } from '../../db/personal-data';
import { inTransaction, withTransaction, type Db } from '../../db/pool';
import { change, rows } from '../../db/query';
import { deliveriesOfEvents } from '../fan-out';

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
 * Marks every event of a person for erasure. The first check of an event that `latest` names comes later: its deliveries are
 * about to be made.
 */
export function markEventsForErasure(
  db: Db,
  projectId: string,
  subscriberId: string,
  latest: string | null,
): Promise<number> {
  return change(
    db,
    'mark_events_for_erasure',
    `INSERT INTO event_erasures (event_id, check_at)
     SELECT e.id, clock_timestamp() + CASE WHEN e.id = $3 THEN interval '5 seconds' ELSE interval '0' END
     FROM events e WHERE e.subscriber_id = $2 AND e.project_id = $1
     ON CONFLICT (event_id) DO NOTHING`,
    [projectId, subscriberId, latest],
  );
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
    await change(
      db,
      'mark_used_events_for_erasure',
      `INSERT INTO event_erasures (event_id, check_at)
       SELECT id, clock_timestamp() + interval '1 second' FROM unnest($1::uuid[]) AS used (id)
       ON CONFLICT (event_id) DO NOTHING`,
      [inUse],
    );
    return next.length;
  });
}

/** Erases events that are due and have no open delivery; the others wait. */
export function eraseDueEvents(db: Db): Promise<{ erased: number; more: boolean }> {
  return inTransaction(db, async (tx) => {
    const due = await rows<{ event_id: string }>(
      tx,
      'lock_due_erasures',
      `SELECT event_id FROM event_erasures WHERE check_at <= clock_timestamp()
       ORDER BY check_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`,
    );
    if (due.length === 0) return { erased: 0, more: false };
    const ids = due.map(({ event_id }) => event_id);
    const { removed, inUse } = await removeEvents(tx, ids);
    if (inUse.length > 0) await postponeErasures(tx, inUse);
    return { erased: removed, more: due.length === BATCH };
  });
}

/** Each waits for as long as it has waited: an event that stays open for days is checked a few times. */
function postponeErasures(db: Db, eventIds: string[]): Promise<number> {
  return change(
    db,
    'postpone_erasures',
    `UPDATE event_erasures
     SET check_at = clock_timestamp() + greatest(interval '1 second', clock_timestamp() - requested_at)
     WHERE event_id = ANY ($1::uuid[])`,
    [eventIds],
  );
}
