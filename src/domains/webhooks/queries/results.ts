import type pg from 'pg';
import type { EndpointDisabledReason } from '../../../base/contract/common';
import { limits } from '../../../base/contract/limits';
import { useIndexes } from '../../../base/db/by-indexes';
import { withPipelinedTransaction, type Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import type { LaneSetting } from '../contract';
import type { Judgement } from '../retry-schedule';
import { wakeLane } from '../wake-lanes';
import { END_FAILURES, ENDS_FAILURES } from './alerts';
import { ms, type DeliveryState } from './attempts';
import { refillExpress, type ClaimOptions, type ExpressClaim } from './claim';
import { countResults } from './hours';

/** The result of an attempt and what it means. */
export interface JudgedResult extends Judgement {
  result: {
    status: number | null;
    error: string | null;
    errorDetail: string | null;
    durationMs: number;
    /** With masked values of the project's own headers. */
    requestHeaders: Record<string, string> | null;
    responseBody: string | null;
    responseHeaders: Record<string, string>;
  };
}

/** The word in the log for an attempt whose process died before it could write the result. */
export const LOST = 'lost';

export interface RecordedAttempt extends DeliveryState {
  /** Set when this attempt was the one that disabled its endpoint. */
  disabled_reason: EndpointDisabledReason | null;
}

/** A statement that changes the endpoints' rows locks them before the deliveries, as claims do, and in id order. */
const LOCK_CHANGED_ENDPOINTS = `SELECT 1 FROM endpoints e
     WHERE e.id = ANY (ARRAY(SELECT d.endpoint_id FROM deliveries d WHERE d.id = ANY ($1::uuid[]))) AND CASE $2::text
       WHEN 'success' THEN ${ENDS_FAILURES}
       WHEN 'gone' THEN true
       ELSE e.failing_since IS NULL OR e.failing_since <= now() - make_interval(hours => $3) END
     ORDER BY e.id FOR NO KEY UPDATE OF e`;

/**
 * The transition of a result, in both lanes. The arrays hold attempts of one number and one verdict: successes of the express
 * lane, or a single attempt. An attempt that a workflow has claimed has a row without a result; a claim of the express lane is
 * the queue's row alone, and everything else is written here.
 */
const RECORD = `WITH result AS (
       SELECT DISTINCT ON (r.id) r.id, r.duration_ms, r.http_status, r.request_headers, r.response_body, r.response_headers
       FROM unnest($1::uuid[], $2::int[], $3::int[], $4::jsonb[], $5::text[], $6::jsonb[])
         AS r (id, duration_ms, http_status, request_headers, response_body, response_headers) ORDER BY r.id
     ), locked AS MATERIALIZED (
       SELECT d.id, d.attempts FROM deliveries d WHERE d.id = ANY ($1::uuid[]) ORDER BY d.id FOR UPDATE
     ), attempt AS (
       INSERT INTO attempts AS a (delivery_id, number, requested, claimed_at, finished_at, duration_ms, http_status, error,
         error_detail, request_headers, response_body, response_headers, lost_at, next_attempt_at)
       SELECT r.id, $7::int, false, coalesce(q.claimed_at, now()), clock_timestamp(), r.duration_ms, r.http_status, $8::text,
         $9::text, r.request_headers, r.response_body, r.response_headers,
         CASE WHEN $8::text = '${LOST}' THEN clock_timestamp() END, to_timestamp($11::float8 / 1000)
       FROM result r JOIN locked l ON l.id = r.id LEFT JOIN delivery_queue q ON q.delivery_id = r.id
       -- After an express lease has expired only a success counts, because the receiver has the event.
       WHERE NOT $12::boolean OR $10::text = 'success' OR (q.holder = 'express' AND l.attempts = 0)
       ON CONFLICT (delivery_id, number) DO UPDATE SET finished_at = excluded.finished_at,
         duration_ms = excluded.duration_ms, http_status = excluded.http_status, error = excluded.error,
         error_detail = excluded.error_detail, request_headers = excluded.request_headers,
         response_body = excluded.response_body, response_headers = excluded.response_headers,
         lost_at = coalesce(a.lost_at, excluded.lost_at), next_attempt_at = excluded.next_attempt_at
         WHERE a.finished_at IS NULL OR (a.error = '${LOST}' AND $10::text = 'success')
       RETURNING a.delivery_id, a.requested, a.claimed_at, a.http_status
     ), delivery AS (
       UPDATE deliveries d SET
         lane = CASE WHEN $12::boolean THEN 'express' ELSE d.lane END, attempts = greatest(d.attempts, $7::int),
         -- A first attempt is the schedule's own, and counts once if it was lost and has succeeded after all.
         scheduled_attempts = CASE WHEN $7::int = 1 THEN greatest(d.scheduled_attempts, 1)
           WHEN a.requested THEN d.scheduled_attempts ELSE d.scheduled_attempts + 1 END,
         first_attempt_at = coalesce(d.first_attempt_at, a.claimed_at),
         underway = CASE WHEN d.attempts <= $7::int THEN NULL ELSE d.underway END,
         last_http_status = a.http_status, last_error = $8::text,
         (status, failure, ended_at, next_attempt_at, overdue_at) = (
           SELECT next.status,
             CASE WHEN next.status <> 'failed' THEN NULL WHEN $10::text = 'retry' THEN 'exhausted' ELSE 'refused' END,
             CASE WHEN next.status <> 'pending' THEN coalesce(d.ended_at, now()) END, next.at,
             greatest(next.at, clock_timestamp()) + interval '2 minutes'
           FROM (SELECT state.status,
                   CASE WHEN state.status <> 'pending' THEN NULL
                        WHEN d.round > d.served THEN now() ELSE to_timestamp($11::float8 / 1000) END AS at
                 FROM (SELECT CASE
                         -- Another attempt was requested while this one was in flight.
                         WHEN d.round > d.served THEN 'pending'
                         WHEN $10::text = 'success' THEN 'succeeded'
                         -- Cancelled meanwhile, or ended by a late 2xx of the express lane.
                         WHEN d.status IN ('cancelled', 'succeeded') THEN d.status
                         WHEN $11::float8 IS NULL THEN 'failed' ELSE 'pending' END AS status) state) next)
       FROM attempt a WHERE d.id = a.delivery_id
       RETURNING d.id, d.project_id, d.endpoint_id, d.status, d.failure, d.attempts, d.last_http_status, d.last_error,
         d.next_attempt_at, d.round > d.served AS again,
         -- After an express attempt that failed, the delivery stays queued for the start of a workflow; a workflow that was
         -- started meanwhile is signalled. After its own attempt a workflow waits by itself.
         $12::boolean AND (d.status IN ('pending', 'failed') OR d.started) AS stays
     ), freed AS (
       DELETE FROM delivery_queue q USING delivery d WHERE q.delivery_id = d.id AND NOT d.stays
     ), queued AS (
       INSERT INTO delivery_queue AS q (delivery_id, endpoint_id, project_id, priority, due_at, is_first, needs_slot)
       SELECT id, endpoint_id, project_id, CASE WHEN again THEN 0 ELSE 1 END, clock_timestamp(), false, again
       FROM delivery WHERE stays
       ON CONFLICT (delivery_id) DO UPDATE SET priority = least(q.priority, excluded.priority), due_at = excluded.due_at,
         is_first = false, needs_slot = excluded.needs_slot, holder = NULL, claimed_at = NULL, lease_until = NULL
     ), recovered AS (
       UPDATE endpoints e SET ${END_FAILURES}
       FROM (SELECT DISTINCT endpoint_id FROM delivery) d
       WHERE e.id = d.endpoint_id AND $10::text = 'success' AND ${ENDS_FAILURES}
     ), failing AS (
       SELECT e.id, e.status = 'active' AND e.version = $13::int AND ($10::text = 'gone'
           OR coalesce(e.failing_since <= now() - make_interval(hours => $14), false)) AS disables
       FROM delivery d JOIN endpoints e ON e.id = d.endpoint_id
       WHERE $10::text <> 'success'
     ), failed AS (
       UPDATE endpoints e SET
         failing_since = coalesce(e.failing_since, now()),
         status = CASE WHEN disables THEN 'disabled' ELSE status END,
         disabled_at = CASE WHEN disables THEN now() ELSE disabled_at END,
         disabled_reason = CASE WHEN NOT disables THEN disabled_reason WHEN $10::text = 'gone' THEN 'gone' ELSE 'failing' END,
         alert = CASE WHEN disables THEN 'disabled' ELSE alert END,
         unannounced = CASE WHEN disables THEN e.unannounced || jsonb_build_object('event', 'endpoint.disabled', 'at', now(),
           'reason', CASE WHEN $10::text = 'gone' THEN 'gone' ELSE 'failing' END) ELSE e.unannounced END,
         version = version + CASE WHEN disables THEN 1 ELSE 0 END,
         updated_at = CASE WHEN disables THEN now() ELSE updated_at END
       FROM failing f
       -- Written only when it changes: a failing endpoint's row must not become a bottleneck.
       WHERE e.id = f.id AND e.version = $13::int AND (disables OR e.failing_since IS NULL)
       RETURNING disables, disabled_reason
     )
     SELECT d.status, d.failure, d.attempts, d.last_http_status, d.last_error,
       ${ms('d.next_attempt_at')} AS next_attempt_at,
       (SELECT disabled_reason FROM failed WHERE disables) AS disabled_reason
     FROM delivery d`;

/** Whether first and other attempts wait for a slot of the delivery's endpoint. */
const WAITING = `SELECT e.delivery_lane AS lane_of_first,
       EXISTS (SELECT 1 FROM delivery_queue w WHERE w.endpoint_id = e.id AND w.holder IS NULL
         AND w.needs_slot AND w.is_first) AS first_waits,
       EXISTS (SELECT 1 FROM delivery_queue w WHERE w.endpoint_id = e.id AND w.holder IS NULL
         AND w.needs_slot AND NOT w.is_first) AS later_waits
     FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id WHERE d.id = $1`;

interface Waiting {
  lane_of_first: LaneSetting | null;
  first_waits: boolean;
  later_waits: boolean;
}

/** The outcome of one request. */
interface Response {
  id: string;
  duration_ms: number;
  http_status: number | null;
  request_headers: Record<string, string> | null;
  response_body: string | null;
  response_headers: Record<string, string>;
}

/** Attempts of one number with one verdict. */
interface Results extends Judgement {
  number: number;
  isExpress: boolean;
  endpointVersion: number;
  error: string | null;
  errorDetail: string | null;
  responses: readonly Response[];
}

/** The statements that write results, and their counts, in the transaction of `db`. */
async function record(db: Db, results: Results): Promise<RecordedAttempt[]> {
  const { responses, verdict } = results;
  const ids = responses.map(({ id }) => id);
  const [, , recorded] = await Promise.all([
    // For the rest of the transaction: a queue that was short when a statement was planned may be long now.
    useIndexes(db),
    rows(db, 'lock_changed_endpoints', LOCK_CHANGED_ENDPOINTS, [
      ids,
      verdict,
      limits.webhookDisableAfterHours,
    ]),
    rows<RecordedAttempt>(db, 'record_attempt', RECORD, [
      ids,
      responses.map(({ duration_ms }) => Math.round(duration_ms)),
      responses.map(({ http_status }) => http_status),
      responses.map(({ request_headers }) => request_headers && JSON.stringify(request_headers)),
      responses.map(({ response_body }) => response_body),
      responses.map(({ response_headers }) => JSON.stringify(response_headers)),
      results.number,
      results.error,
      results.errorDetail,
      verdict,
      results.next,
      results.isExpress,
      results.endpointVersion,
      limits.webhookDisableAfterHours,
    ]),
  ]);
  return recorded;
}

/**
 * Writes the result, the delivery's new state and what it means for the endpoint, together and once. Null when the
 * attempt has a result already. `isExpress`: the attempt is the express lane's, and the relay starts the
 * workflow for what follows.
 */
export async function recordAttempt(
  pool: pg.Pool,
  {
    deliveryId: id,
    number,
    endpointVersion,
  }: { deliveryId: string; number: number; endpointVersion: number },
  { result, verdict, next }: JudgedResult,
  { isExpress = false }: { isExpress?: boolean } = {},
): Promise<RecordedAttempt | null> {
  const { error, errorDetail } = result;
  const response: Response = {
    id,
    duration_ms: result.durationMs,
    http_status: result.status,
    request_headers: result.requestHeaders,
    response_body: result.responseBody,
    response_headers: result.responseHeaders,
  };
  const results = { number, isExpress, endpointVersion, verdict, next, error, errorDetail };
  const [[recorded], waiting] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      record(db, { ...results, responses: [response] }),
      row<Waiting>(db, 'what_waits_for_endpoint', WAITING, [id]),
      countResults(db, [id]),
    ]),
  );
  if (!recorded) return null;
  // A slot is free, or a workflow must be started: the relay need not wait for the sweep.
  if (isExpress || waiting?.later_waits) wakeLane(pool, 'workflow');
  if (waiting?.first_waits) wakeLane(pool, waiting.lane_of_first);
  return recorded;
}

export interface ExpressSuccess extends Response {
  endpoint_id: string;
  /** Whether its slot is to be refilled in the same transaction. */
  refill: boolean;
}

/**
 * Ends deliveries whose first attempt succeeded, many in one round trip. A 2xx that arrives after its lease has expired
 * ends the delivery as well: the receiver has it. Returns the next first attempts of endpoints that are to be refilled.
 */
export async function recordSuccesses(
  pool: pg.Pool,
  successes: ExpressSuccess[],
  options: Omit<ClaimOptions, 'limit'>,
): Promise<ExpressClaim[]> {
  const freed = new Map<string, number>();
  for (const { endpoint_id: id, refill } of successes) if (refill) freed.set(id, (freed.get(id) ?? 0) + 1);
  const success = { number: 1, isExpress: true, verdict: 'success', next: null } as const;
  const [, next] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      record(db, { ...success, endpointVersion: -1, error: null, errorDetail: null, responses: successes }),
      freed.size > 0 ? refillExpress(db, options, freed) : [],
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
