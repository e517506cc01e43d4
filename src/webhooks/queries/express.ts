import type pg from 'pg';
import { useIndexes } from '../../db/by-indexes';
import { withPipelinedTransaction, type Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import type { LaneSetting } from '../contract';
import { END_FAILURES, ENDS_FAILURES } from './alerts';
import { LOST } from './attempts';
import { refillExpress, type ExpressClaim } from './claim';
import { countResults } from './hours';

export interface ExpressSuccess {
  id: string;
  endpoint_id: string;
  http_status: number;
  duration_ms: number;
  request_headers: Record<string, string> | null;
  response_body: string | null;
  response_headers: Record<string, string>;
  /** Whether its slot is to be refilled in the same transaction. */
  refill: boolean;
}

/** In id order, like every statement that locks several rows. */
const LOCK_FAILING_ENDPOINTS = `SELECT e.id FROM endpoints e
     WHERE e.id = ANY ($1::uuid[]) AND ${ENDS_FAILURES} ORDER BY e.id FOR NO KEY UPDATE`;

const RECORD_SUCCESSES = `WITH result AS (
       SELECT DISTINCT ON (r.id) r.id, r.http_status, r.duration_ms, r.response_body, r.response_headers, r.request_headers
       FROM unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::jsonb[], $6::jsonb[])
         AS r (id, http_status, duration_ms, response_body, response_headers, request_headers) ORDER BY r.id
     ), locked AS MATERIALIZED (
       SELECT d.id FROM deliveries d WHERE d.id = ANY ($1::uuid[]) ORDER BY d.id FOR UPDATE
     ), attempt AS (
       -- The row exists if the lease has expired and a workflow has taken over the delivery.
       INSERT INTO attempts AS a (delivery_id, number, requested, claimed_at, finished_at, duration_ms, http_status,
         response_body, response_headers, request_headers)
       SELECT r.id, 1, false, coalesce(q.claimed_at, now()), clock_timestamp(), r.duration_ms, r.http_status,
         r.response_body, r.response_headers, r.request_headers
       FROM result r JOIN locked l ON l.id = r.id LEFT JOIN delivery_queue q ON q.delivery_id = r.id
       ON CONFLICT (delivery_id, number) DO UPDATE SET finished_at = excluded.finished_at,
         duration_ms = excluded.duration_ms, http_status = excluded.http_status, error = NULL, error_detail = NULL,
         response_body = excluded.response_body, response_headers = excluded.response_headers,
         request_headers = excluded.request_headers, next_attempt_at = NULL
         WHERE a.finished_at IS NULL OR a.error = '${LOST}'
       RETURNING a.delivery_id, a.claimed_at, a.http_status
     ), delivery AS (
       UPDATE deliveries d SET lane = 'express', attempts = greatest(d.attempts, 1),
         scheduled_attempts = greatest(d.scheduled_attempts, 1),
         first_attempt_at = coalesce(d.first_attempt_at, a.claimed_at),
         underway = CASE WHEN d.attempts <= 1 THEN NULL ELSE d.underway END,
         last_http_status = a.http_status, last_error = NULL,
         -- Another attempt was requested while this one was in flight: its workflow makes it.
         status = CASE WHEN d.round > d.served THEN 'pending' ELSE 'succeeded' END,
         failure = NULL,
         ended_at = CASE WHEN d.round > d.served THEN NULL ELSE coalesce(d.ended_at, now()) END,
         next_attempt_at = CASE WHEN d.round > d.served THEN now() END
       FROM attempt a WHERE d.id = a.delivery_id
       RETURNING d.id, d.endpoint_id, d.project_id, d.started, d.round > d.served AS again
     ), freed AS (
       DELETE FROM delivery_queue q USING delivery d WHERE q.delivery_id = d.id AND NOT d.again AND NOT d.started
     ), queued AS (
       -- A workflow that was started meanwhile learns of the end.
       INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, priority, is_first, needs_slot)
       SELECT id, endpoint_id, project_id, 0, false, again FROM delivery WHERE again OR started
       ON CONFLICT (delivery_id) DO UPDATE SET priority = 0, due_at = excluded.due_at, is_first = false,
         needs_slot = excluded.needs_slot, holder = NULL, claimed_at = NULL, lease_until = NULL
     )
     UPDATE endpoints e SET ${END_FAILURES}
     FROM (SELECT DISTINCT endpoint_id FROM delivery) d WHERE e.id = d.endpoint_id AND ${ENDS_FAILURES}`;

/**
 * Ends deliveries whose first attempt succeeded, many in one round trip. A 2xx that arrives after its lease has expired
 * ends the delivery as well: the receiver has it. Returns the next first attempts of endpoints that are to be refilled.
 */
export async function recordSuccesses(
  pool: pg.Pool,
  successes: ExpressSuccess[],
  defaultLane: LaneSetting,
): Promise<ExpressClaim[]> {
  const endpointIds = [...new Set(successes.map(({ endpoint_id }) => endpoint_id))];
  const freed = new Map<string, number>();
  for (const { endpoint_id: id, refill } of successes) if (refill) freed.set(id, (freed.get(id) ?? 0) + 1);
  const [, , , next] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      // For all of them: a queue that was short when a statement was planned may be long now.
      useIndexes(db),
      rows(db, 'lock_failing_endpoints', LOCK_FAILING_ENDPOINTS, [endpointIds]),
      change(db, 'record_successes', RECORD_SUCCESSES, [
        successes.map(({ id }) => id),
        successes.map(({ http_status }) => http_status),
        successes.map(({ duration_ms }) => Math.round(duration_ms)),
        successes.map(({ response_body }) => response_body),
        successes.map(({ response_headers }) => JSON.stringify(response_headers)),
        successes.map(({ request_headers }) => request_headers && JSON.stringify(request_headers)),
      ]),
      freed.size > 0 ? refillExpress(db, defaultLane, freed) : [],
      countResults(
        db,
        successes.map(({ id }) => id),
      ),
    ]),
  );
  return next;
}

/** What the schedule needs to know of a first attempt whose process has died. */
export function findLostAttempt(
  db: Db,
  deliveryId: string,
): Promise<
  | (Pick<ExpressClaim, 'policy' | 'scheduled_attempts' | 'requested' | 'first_attempt_at'> & { now: number })
  | null
> {
  return row(
    db,
    'lost_attempt',
    `SELECT d.policy, d.scheduled_attempts, false AS requested,
       (extract(epoch FROM coalesce(d.first_attempt_at, q.claimed_at)) * 1000)::float8 AS first_attempt_at,
       (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now
     FROM deliveries d JOIN delivery_queue q ON q.delivery_id = d.id WHERE d.id = $1 AND q.holder = 'express'`,
    [deliveryId],
  );
}
