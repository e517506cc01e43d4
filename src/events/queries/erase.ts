import type { Db } from '../../db/pool';
import { change, row } from '../../db/query';

/** The pattern of the index `events_subscriber`, for SQL and JavaScript. */
export const SUBSCRIBER_ID_PATTERN = '"subscriber_id":"([^"\\\\]+)"';

/**
 * SQL: whether an event `e` is about the subscriber with this id (SQL), whose public forms are `publicIds` (SQL). Reads the
 * indexes `events_subscriber` and `events_published_subscriber`.
 */
export const isAboutSubscriber = (id: string, publicIds: string) =>
  `(substring(e.body FROM '${SUBSCRIBER_ID_PATTERN}') = ANY (${publicIds}) OR e.subscriber_id = ${id})`;

/** At most so many events are erased in one statement, with their deliveries. */
const BATCH = 500;

/**
 * SQL: the CTE `removed` deletes the events of the CTE `due` (event_id), with their deliveries and attempts, unless a
 * delivery of theirs is not `ended`; these are in `open`. The deliveries are locked first, without waiting: one that is
 * being retried keeps its event. Subqueries that cannot be flattened make Postgres look each event up by its index.
 */
export const removeEnded = (ended: string) => `ended AS MATERIALIZED (
       SELECT d.id FROM due CROSS JOIN LATERAL (
         SELECT d.id FROM deliveries d WHERE d.event_id = due.event_id AND ${ended} FOR UPDATE SKIP LOCKED) d
     ), open AS MATERIALIZED (
       SELECT due.event_id FROM due CROSS JOIN LATERAL (
         SELECT d.id FROM deliveries d WHERE d.event_id = due.event_id OFFSET 0) d
       WHERE d.id NOT IN (SELECT id FROM ended)
     ), removed AS (
       DELETE FROM events e
       WHERE e.id = ANY (ARRAY(SELECT event_id FROM due EXCEPT SELECT event_id FROM open)) RETURNING 1
     )`;

const ERASE_DUE = `WITH due AS MATERIALIZED (
       SELECT x.event_id FROM event_erasures x WHERE x.check_at <= clock_timestamp()
       ORDER BY x.check_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     ), ${removeEnded(`d.status <> 'pending'`)}, waiting AS (
       -- Waits for as long as it has waited: an event that stays open for days is looked at a few times.
       UPDATE event_erasures x
       SET check_at = clock_timestamp() + greatest(interval '1 second', clock_timestamp() - x.requested_at)
       WHERE x.event_id = ANY (ARRAY(SELECT event_id FROM open))
     )
     SELECT (SELECT count(*)::int FROM due) AS due, (SELECT count(*)::int FROM removed) AS erased`;

/**
 * Marks every event of a person for erasure; either form of the id can be in a body. The first check of an event that
 * `latest` names comes later: its deliveries are about to be made.
 */
export function markEventsForErasure(
  db: Db,
  projectId: string,
  subscriberId: string,
  publicIds: string[],
  latest: string | null,
): Promise<number> {
  return change(
    db,
    'mark_events_for_erasure',
    `INSERT INTO event_erasures (event_id, check_at)
     SELECT e.id, clock_timestamp() + CASE WHEN e.id = $4 THEN interval '5 seconds' ELSE interval '0' END
     FROM events e WHERE ${isAboutSubscriber('$2', '$3::text[]')} AND e.project_id = $1
     ON CONFLICT (event_id) DO NOTHING`,
    [projectId, subscriberId, publicIds, latest],
  );
}

/** Erases events that are due and have no open delivery; the others wait. */
export async function eraseDueEvents(db: Db): Promise<{ erased: number; more: boolean }> {
  const done = await row<{ due: number; erased: number }>(db, 'erase_due_events', ERASE_DUE);
  return { erased: done?.erased ?? 0, more: done?.due === BATCH };
}
