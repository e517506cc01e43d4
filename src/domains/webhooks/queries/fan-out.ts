import { noteChange } from '../../../base/db/changes';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import type { Deliveries } from '../../events';
import type { LaneSetting } from '../contract';
import { wakeLane } from '../wake-lanes';
import { UUID_TIME_LENGTH } from '../../../base/lib/uuid';
import { maySend } from '../../projects';
import { rowByIndexes } from './queue';

/** A new UUIDv7 with the time of the event's. */
const OF_THE_SAME_TIME = `(left(given.event_id::text, ${UUID_TIME_LENGTH}) || '7' ||
         substr(gen_random_uuid()::text, ${UUID_TIME_LENGTH + 2}))::uuid`;

/** Whether an endpoint `e`, or what one would be, subscribes to the event `v`, of which a test passes every filter. */
export const SUBSCRIBES = `(e.events = '{}' OR v.name = ANY (e.events))
         AND (v.test OR e.filter IS NULL OR filter_matches(e.filter, v.data))`;

/**
 * Makes deliveries of an event: one for each endpoint of the project that subscribes to it, and its row in the queue. The events
 * are those of the current transaction (`xid`): an earlier one has its deliveries. An event of an inactive project gets none,
 * also later. The subquery cannot be flattened, so that Postgres reads each event by its index.
 */
const FAN_OUT = `WITH matched AS MATERIALIZED (
       SELECT coalesce(given.delivery_id, ${OF_THE_SAME_TIME}) AS id, e.project_id, e.id AS endpoint_id, given.event_id,
         v.name AS event_name, e.retry_policy, v.test, given.bulk, e.delivery_lane
       FROM unnest($1::uuid[], $2::boolean[], $3::uuid[], $4::uuid[]) AS given (event_id, bulk, endpoint_id, delivery_id)
       CROSS JOIN LATERAL (
         SELECT v.project_id, v.name, v.test,
           -- Parsed once for all endpoints, and only where one has a filter.
           CASE WHEN EXISTS (SELECT 1 FROM endpoints f WHERE f.project_id = v.project_id AND f.deleted_at IS NULL
             AND f.filter IS NOT NULL) THEN v.body::jsonb -> 'data' END AS data
         FROM events v
         WHERE v.id = given.event_id AND v.xid = pg_current_xact_id() AND ${maySend('v.project_id')} OFFSET 0) v
       JOIN endpoints e ON e.project_id = v.project_id
       WHERE CASE WHEN given.endpoint_id IS NULL
         THEN e.deleted_at IS NULL AND ${SUBSCRIBES}
         ELSE e.id = given.endpoint_id END
     ), delivery AS (
       INSERT INTO deliveries (id, project_id, endpoint_id, event_id, event_name, policy, test, bulk)
       SELECT id, project_id, endpoint_id, event_id, event_name, retry_policy, test, bulk FROM matched
     ), queued AS (
       INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, priority, is_first)
       SELECT id, endpoint_id, project_id, CASE WHEN bulk THEN 2 ELSE 1 END, true FROM matched
     )
     SELECT event_id, project_id, count(*)::int AS deliveries, array_agg(DISTINCT delivery_lane) AS lanes
     FROM matched GROUP BY event_id, project_id`;

/**
 * The ended deliveries are locked, without waiting: one that is being retried is not among them, and its event is in use.
 * Subqueries that cannot be flattened make Postgres look each event up by its index.
 */
const EVENTS_IN_USE = `WITH due AS MATERIALIZED (
       SELECT unnest($1::uuid[]) AS event_id
     ), ended AS MATERIALIZED (
       SELECT d.id FROM due CROSS JOIN LATERAL (
         SELECT d.id FROM deliveries d
         WHERE d.event_id = due.event_id AND d.status <> 'pending'
           AND ($2::int IS NULL OR d.ended_at < now() - make_interval(days => $2))
         FOR UPDATE SKIP LOCKED) d
     )
     SELECT DISTINCT due.event_id FROM due CROSS JOIN LATERAL (
       SELECT d.id FROM deliveries d WHERE d.event_id = due.event_id OFFSET 0) d
     WHERE d.id NOT IN (SELECT id FROM ended)`;

const COUNT_WAITING = `SELECT count(*)::int AS waiting FROM (
       SELECT 1 FROM endpoints e CROSS JOIN LATERAL (
         SELECT 1 FROM delivery_queue q
         WHERE q.endpoint_id = e.id AND q.is_first AND q.holder IS NULL AND q.needs_slot LIMIT $2) q
       WHERE e.project_id = $1 AND e.status = 'active' AND e.deleted_at IS NULL LIMIT $2) waiting`;

/** The words as well, which the search index may have written a moment ago. */
const REMOVE = `WITH delivery AS (
       DELETE FROM deliveries WHERE event_id = ANY ($1::uuid[]) RETURNING id
     ), attempt AS (
       DELETE FROM attempts USING delivery d WHERE delivery_id = d.id
     ), retry AS (
       DELETE FROM delivery_retries USING delivery d WHERE delivery_id = d.id
     ), listed AS (
       DELETE FROM undelivered USING delivery d WHERE delivery_id = d.id
     ), queued AS (
       DELETE FROM delivery_queue USING delivery d WHERE delivery_id = d.id
     )
     DELETE FROM event_words WHERE event_id = ANY ($1::uuid[])`;

export const deliveries: Deliveries = {
  async fanOut(db: Db, events) {
    const written = await rows<{
      event_id: string;
      project_id: string;
      deliveries: number;
      /** Of their endpoints. */
      lanes: (LaneSetting | null)[];
    }>(db, 'fan_out', FAN_OUT, [
      events.map(({ id }) => id),
      events.map(({ bulk = false }) => bulk),
      events.map(({ only }) => only?.endpointId ?? null),
      events.map(({ only }) => only?.deliveryId ?? null),
    ]);
    const projectIds = new Set(written.map(({ project_id }) => project_id));
    for (const projectId of projectIds) noteChange(db, 'deliveries', projectId);
    for (const lane of new Set(written.flatMap(({ lanes }) => lanes))) wakeLane(db, lane);
    return new Map(written.map(({ event_id, deliveries }) => [event_id, deliveries]));
  },

  async eventsInUse(db, eventIds, endedDays) {
    const found = await rows<{ event_id: string }>(db, 'events_in_use', EVENTS_IN_USE, [eventIds, endedDays]);
    return found.map(({ event_id }) => event_id);
  },

  async remove(db, eventIds) {
    await change(db, 'remove_deliveries', REMOVE, [eventIds]);
  },

  async countWaiting(pool, projectId, max) {
    const counted = await rowByIndexes<{ waiting: number }>(pool, 'count_waiting_deliveries', COUNT_WAITING, [
      projectId,
      max,
    ]);
    return counted?.waiting ?? 0;
  },
};
