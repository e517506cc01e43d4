import type pg from 'pg';
import { FIRST_HEADS, LATER_HEADS, SLOTS, WAITS_FIRST } from './claim';
import { rowByIndexes } from './queue';

/*
 * How long deliveries have waited for Herald. A delivery that waits for its own receiver is not late.
 */

/** Slots that an attempt has held for at least `age`, without those that a relay has claimed for a start. */
const attemptsInFlight = (age: string) => `(SELECT count(*) FROM delivery_queue f WHERE f.endpoint_id = e.id
         AND f.holder IN ('workflow', 'express') AND f.lease_until > clock_timestamp()
         AND f.claimed_at <= clock_timestamp() - interval '${age}')`;

/** SQL: every slot of an endpoint `e` is taken by an attempt. */
const IS_FULL = `${attemptsInFlight('0 seconds')} >= ${SLOTS}`;

/** SQL: when the newest attempt began that has kept the receiver of `e` for over a second. Null: the receiver is fast. */
const SLOW_SINCE = `(SELECT max(f.claimed_at) FROM delivery_queue f WHERE f.endpoint_id = e.id
         AND f.holder IN ('workflow', 'express') AND f.lease_until > clock_timestamp()
         AND f.claimed_at <= clock_timestamp() - interval '1 second')`;

/** SQL: how long a due row has waited, without the time in which its endpoint was disabled or busy with slow attempts. */
const secondsSince = (dueAt: string) =>
  `extract(epoch FROM clock_timestamp() - greatest(${dueAt}, e.updated_at, ${SLOW_SINCE}))`;

/** Age in seconds of the oldest delivery that could be claimed now, or whose claimed start has not led to an attempt. */
export async function claimableLag(pool: pg.Pool): Promise<number> {
  const found = await rowByIndexes<{ lag: number | null }>(
    pool,
    'claimable_lag',
    `WITH RECURSIVE ${FIRST_HEADS}, ${LATER_HEADS}
     SELECT max(${secondsSince('h.due_at')})::float8 AS lag
     FROM (SELECT endpoint_id, due_at FROM first UNION ALL SELECT endpoint_id, due_at FROM later
           UNION ALL SELECT endpoint_id, due_at FROM delivery_queue WHERE holder = 'relay' AND needs_slot) h
     JOIN endpoints e ON e.id = h.endpoint_id
     WHERE e.status = 'active' AND e.deleted_at IS NULL AND NOT ${IS_FULL}`,
  );
  return Math.max(0, found?.lag ?? 0);
}

/** Whether first attempts wait for Herald: of an endpoint that has a free slot, or whose attempts take less than a second. */
export async function firstAttemptsWait(pool: pg.Pool): Promise<boolean> {
  const found = await rowByIndexes<{ waits: boolean }>(
    pool,
    'first_attempts_wait',
    `WITH RECURSIVE ${FIRST_HEADS}
     SELECT EXISTS (SELECT 1 FROM first h JOIN endpoints e ON e.id = h.endpoint_id
       WHERE e.status = 'active' AND e.deleted_at IS NULL AND ${attemptsInFlight('1 second')} < ${SLOTS}) AS waits`,
  );
  return found?.waits ?? false;
}

/** How long the next first attempt of each of these endpoints has waited for a relay, in seconds; only those that wait. */
export async function waitingSeconds(pool: pg.Pool, endpointIds: string[]): Promise<Map<string, number>> {
  const found = await rowByIndexes<{ waiting: Record<string, number> | null }>(
    pool,
    'waiting_seconds_of_endpoints',
    `SELECT json_object_agg(e.id, greatest(0, floor(${secondsSince('w.due_at')}))) AS waiting
     FROM endpoints e CROSS JOIN LATERAL (
       SELECT q.due_at FROM delivery_queue q WHERE ${WAITS_FIRST} AND q.endpoint_id = e.id
       ORDER BY q.priority, q.due_at LIMIT 1) w
     WHERE e.id = ANY ($1::uuid[]) AND e.status = 'active' AND e.deleted_at IS NULL AND NOT ${IS_FULL}`,
    [endpointIds],
  );
  return new Map(Object.entries(found?.waiting ?? {}));
}

/** SQL: the deliveries of an endpoint `e` wait because slow attempts hold every slot. */
export const WAITS_FOR_RECEIVER = `${IS_FULL} AND ${SLOW_SINCE} IS NOT NULL`;
