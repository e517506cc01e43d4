import { eventBody, type EventData, type EventName } from '../contract';
import { currentTraceparent } from '../../lib/tracing';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { row } from '../../db/query';

/** The endpoint's own lane, or the installation's, which every connection of ours carries (see pool.ts). */
export const LANE = `coalesce(e.delivery_lane, nullif(current_setting('herald.delivery_lane', true), ''), 'workflow')`;

/** Wakes the lanes of what `delivery` holds, except those that have promised to look by themselves. */
const WAKE = `count(pg_notify($4, lane || ' ' || endpoint_id)) FROM delivery d WHERE NOT EXISTS (
  SELECT 1 FROM look_promises p WHERE p.lane = d.lane AND p.until > clock_timestamp())`;

/**
 * Writes an event and one delivery for each matching endpoint, in the transaction that causes it: with `db` a
 * transaction's client, they exist exactly when their cause does, and the relay hears of them when it commits.
 */
export async function emitEvent<N extends EventName>(
  db: Db,
  projectId: string,
  name: N,
  data: EventData<N>,
): Promise<string> {
  const inserted = await row<{ id: string }>(
    db,
    'emit_event',
    `WITH event AS (
       INSERT INTO events (project_id, name, body, traceparent) VALUES ($1, $2, $3, $5) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, lane)
       SELECT $1, e.id, event.id, $2, e.retry_policy, ${LANE} FROM endpoints e, event
       WHERE e.project_id = $1 AND e.deleted_at IS NULL AND (e.events = '{}' OR $2 = ANY (e.events))
       RETURNING lane, endpoint_id
     )
     SELECT id, (SELECT ${WAKE}) FROM event`,
    [projectId, name, eventBody(name, data), notifyChannels.delivery, currentTraceparent()],
  );
  if (!inserted) throw new Error('the event was not inserted');
  return inserted.id;
}

/** An event for one endpoint only, whatever its filter. Answers the delivery's id. */
export async function emitTestEvent<N extends EventName>(
  db: Db,
  endpoint: { id: string; project_id: string },
  name: N,
  data: EventData<N>,
): Promise<string> {
  const inserted = await row<{ id: string }>(
    db,
    'emit_test_event',
    `WITH event AS (
       INSERT INTO events (project_id, name, body, traceparent) VALUES ($1, $2, $3, $5) RETURNING id
     ), delivery AS (
       INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, lane)
       SELECT $1, e.id, event.id, $2, e.retry_policy, ${LANE} FROM endpoints e, event WHERE e.id = $6
       RETURNING id, lane, endpoint_id
     )
     SELECT id, (SELECT ${WAKE}) FROM delivery`,
    [
      endpoint.project_id,
      name,
      eventBody(name, data),
      notifyChannels.delivery,
      currentTraceparent(),
      endpoint.id,
    ],
  );
  if (!inserted) throw new Error('the delivery was not inserted');
  return inserted.id;
}
