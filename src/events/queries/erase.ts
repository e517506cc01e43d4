import type { Db } from '../../db/pool';
import { change, row } from '../../db/query';

/** SQL: the person of an event. Matches the index `events_subscriber`. */
const SUBSCRIBER = `substring(e.body FROM '"subscriber_id":"([^"\\\\]+)"')`;

/** At most so many events are erased in one statement, with their deliveries. */
const BATCH = 500;

/** Erases due events: those that have no open delivery, with their deliveries and attempts. The others wait. */
const ERASE_DUE = `WITH due AS MATERIALIZED (
       SELECT x.event_id, x.requested_at FROM event_erasures x WHERE x.check_at <= clock_timestamp()
       ORDER BY x.check_at LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
     ), ended AS MATERIALIZED (
       SELECT d.id FROM due JOIN deliveries d ON d.event_id = due.event_id WHERE d.status <> 'pending'
       ORDER BY d.id FOR UPDATE OF d SKIP LOCKED
     ), open AS MATERIALIZED (
       SELECT d.event_id FROM due JOIN deliveries d ON d.event_id = due.event_id WHERE d.id NOT IN (SELECT id FROM ended)
     ), waiting AS (
       -- Waits for as long as it has waited: an event that stays open for days is looked at a few times.
       UPDATE event_erasures x
       SET check_at = clock_timestamp() + greatest(interval '1 second', clock_timestamp() - x.requested_at)
       FROM open WHERE x.event_id = open.event_id
     ), erased AS (
       DELETE FROM events e USING due WHERE e.id = due.event_id AND e.id NOT IN (SELECT event_id FROM open) RETURNING 1
     )
     SELECT (SELECT count(*)::int FROM due) AS due, (SELECT count(*)::int FROM erased) AS erased`;

/**
 * Marks every event of a person for erasure; either form of the id can be in a body. The first check of an event that
 * `latest` names comes later: its deliveries are about to be made.
 */
export function markEventsForErasure(
  db: Db,
  projectId: string,
  subscriberIds: string[],
  latest: string | null,
): Promise<number> {
  return change(
    db,
    'mark_events_for_erasure',
    `INSERT INTO event_erasures (event_id, check_at)
     SELECT e.id, clock_timestamp() + CASE WHEN e.id = $3 THEN interval '5 seconds' ELSE interval '0' END
     FROM events e WHERE ${SUBSCRIBER} = ANY ($2::text[]) AND e.project_id = $1
     ON CONFLICT (event_id) DO NOTHING`,
    [projectId, subscriberIds, latest],
  );
}

export async function eraseDueEvents(db: Db): Promise<{ erased: number; more: boolean }> {
  const done = await row<{ due: number; erased: number }>(db, 'erase_due_events', ERASE_DUE);
  return { erased: done?.erased ?? 0, more: done?.due === BATCH };
}
