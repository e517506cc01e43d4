import type pg from 'pg';
import { byIndexes } from '../../../base/db/by-indexes';
import { change, row, rows } from '../../../base/db/query';

/*
 * The delivery queue. Lock order: endpoint → delivery → its row in the queue → attempt. A row that needs a slot belongs to a
 * pending delivery.
 */

export function rowByIndexes<R extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<R | null> {
  return byIndexes(pool, (db) => row<R>(db, name, text, values));
}

/** Slots of an endpoint that are taken now. */
export const inFlight = (endpoint: string) =>
  `(SELECT count(*) FROM delivery_queue f WHERE f.endpoint_id = ${endpoint} AND f.holder IS NOT NULL AND f.needs_slot
         AND f.lease_until > clock_timestamp())`;

/** A delivery `d` whose first attempt, in the express lane, is in flight: only its row `f` in the queue says so. */
export const FIRST_IN_FLIGHT = `f.delivery_id = d.id AND f.holder = 'express' AND d.attempts = 0`;

/**
 * Queues the deliveries of a CTE, read as `d`; the options are SQL. A row that is held stays as it is: the result of its
 * attempt takes the change into account.
 */
export function enqueue(
  delivery: string,
  { priority, dueAt, needsSlot = 'true' }: { priority: string; dueAt: string; needsSlot?: string },
): string {
  return `INSERT INTO delivery_queue AS q (delivery_id, endpoint_id, project_id, priority, due_at, is_first, needs_slot)
       SELECT d.id, d.endpoint_id, d.project_id, ${priority}, ${dueAt},
         d.attempts = 0 AND NOT d.started AND d.round <= d.served, ${needsSlot} FROM ${delivery} d
       ON CONFLICT (delivery_id) DO UPDATE SET priority = excluded.priority, due_at = excluded.due_at,
         is_first = excluded.is_first, needs_slot = excluded.needs_slot
         WHERE q.holder IS NULL`;
}

/** The priority of a delivery that no person asked for. */
export const ORDINARY = `CASE WHEN d.bulk THEN 2 ELSE 1 END`;

/** As `q.holder = 'relay'`, for a row that is found by its key: in words that match the condition of no index. */
const IS_RELAYS = `coalesce(q.holder, '') = 'relay'`;

const REMOVE_SLOTLESS = `WITH delivery AS MATERIALIZED (
       SELECT d.id, d.status, d.round > d.served AS requested, d.status = $2 AND d.round <= d.served AS unchanged
       FROM deliveries d WHERE d.id = $1 FOR NO KEY UPDATE
     ), removed AS (
       DELETE FROM delivery_queue q USING delivery d
       WHERE q.delivery_id = $1 AND ${IS_RELAYS} AND NOT q.needs_slot AND d.unchanged RETURNING q.delivery_id
     ), waiting AS (
       UPDATE delivery_queue q SET holder = NULL, claimed_at = NULL, lease_until = NULL, due_at = now(), is_first = false,
         priority = CASE WHEN d.requested THEN 0 ELSE 1 END, needs_slot = d.status = 'pending'
       FROM delivery d
       WHERE q.delivery_id = $1 AND ${IS_RELAYS} AND NOT q.needs_slot AND NOT d.unchanged RETURNING q.delivery_id
     )
     UPDATE deliveries d SET started = true
     FROM (SELECT delivery_id FROM removed UNION ALL SELECT delivery_id FROM waiting) q
     WHERE d.id = q.delivery_id AND NOT d.started`;

/**
 * The workflow was started or signalled and makes no attempt yet: nothing is left to do. A retry or a cancel that was
 * committed meanwhile found the row held and left it as it was: the delivery waits again, and its workflow is signalled.
 */
export function removeSlotless(
  pool: pg.Pool,
  { id, status }: { id: string; status: 'pending' | 'cancelled' | 'failed' },
): Promise<number> {
  return byIndexes(pool, (db) => change(db, 'remove_slotless', REMOVE_SLOTLESS, [id, status]));
}

/** A start failed, for example because Temporal is unavailable: the delivery waits again in two seconds, not in thirty. */
export function shortenStartLease(pool: pg.Pool, deliveryId: string): Promise<number> {
  return byIndexes(pool, (db) =>
    change(
      db,
      'shorten_start_lease',
      `UPDATE delivery_queue q SET lease_until = clock_timestamp() + interval '2 seconds'
       WHERE q.delivery_id = $1 AND ${IS_RELAYS}`,
      [deliveryId],
    ),
  );
}

/** In the order of the index of held rows, so that no other one is walked through. */
const END_EXPIRED_LEASES = `WITH held AS MATERIALIZED (
       SELECT delivery_id, holder, needs_slot FROM delivery_queue
       WHERE holder IS NOT NULL AND lease_until < clock_timestamp() ORDER BY endpoint_id, lease_until LIMIT $1
     ), expired AS MATERIALIZED (
       SELECT q.delivery_id, q.holder, d.status = 'pending' OR NOT q.needs_slot AS goes_on
       FROM held q JOIN deliveries d ON d.id = q.delivery_id FOR NO KEY UPDATE OF d SKIP LOCKED
     ), waiting AS (
       UPDATE delivery_queue q SET holder = NULL, claimed_at = NULL, lease_until = NULL
       FROM expired x
       WHERE q.delivery_id = x.delivery_id AND x.goes_on AND q.holder = 'relay' AND q.lease_until < clock_timestamp()
       RETURNING q.delivery_id
     ), started AS (
       UPDATE deliveries d SET started = true FROM waiting w WHERE d.id = w.delivery_id AND NOT d.started
     ), freed AS (
       DELETE FROM delivery_queue q USING expired x
       WHERE q.delivery_id = x.delivery_id AND q.lease_until < clock_timestamp()
         AND (q.holder = 'workflow' OR (q.holder = 'relay' AND NOT x.goes_on))
     )
     SELECT delivery_id FROM expired WHERE holder = 'express'`;

/**
 * Ends expired leases. A start that was not confirmed waits again, as one that may have a workflow: the relay died
 * between the claim and the start, or the workflow did not get to its attempt. The slot of a workflow's attempt is free
 * again; Temporal repeats the activity, which claims the attempt under its number. A delivery that was cancelled while it
 * was being started needs no attempt any more. First attempts of the express lane are returned: their result is
 * unknown.
 */
export async function endExpiredLeases(pool: pg.Pool, limit: number): Promise<string[]> {
  const lost = await byIndexes(pool, (db) =>
    rows<{ delivery_id: string }>(db, 'end_expired_leases', END_EXPIRED_LEASES, [limit]),
  );
  return lost.map(({ delivery_id }) => delivery_id);
}
