import type pg from 'pg';
import type { EndpointDisabledReason } from '../../contract/common';
import { limits } from '../../contract/limits';
import { useIndexes } from '../../db/by-indexes';
import { withPipelinedTransaction, type Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import type { LaneSetting } from '../contract';
import type { Judgement } from '../retry-schedule';
import { wakeLane } from '../wake-lanes';
import { END_FAILURES, ENDS_FAILURES } from './alerts';
import { ATTEMPT_LEASE, type ClaimedAttempt } from './claim';
import { countResults } from './hours';
import { FIRST_IN_FLIGHT, inFlight } from './queue';

/**
 * What a claim found:
 * `go` – the attempt is claimed; `done` – it has its result already; `superseded` – another number is next;
 * `early` – nothing is due yet; `busy` – the endpoint has no free slot, and the relay signals when it has one;
 * `parked` – the endpoint is disabled; `ended` – the delivery has ended.
 */
export type ClaimVerdict = 'go' | 'done' | 'superseded' | 'early' | 'busy' | 'parked' | 'ended';

/** Times are milliseconds of the database's clock. */
export interface DeliveryState {
  status: 'pending' | 'succeeded' | 'failed' | 'cancelled';
  failure: 'exhausted' | 'refused' | null;
  attempts: number;
  last_http_status: number | null;
  last_error: string | null;
  next_attempt_at: number | null;
}

/** Secrets and body are null unless the verdict is `go`. */
export interface Claim extends DeliveryState, ClaimedAttempt {
  verdict: ClaimVerdict;
  now: number;
  /** The number that is next, where it is not the requested one. */
  next_number: number;
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** The relay has claimed a slot for this delivery, or its attempt is being repeated. */
const HAS_SLOT = `q.holder IN ('relay', 'workflow') AND q.needs_slot AND q.lease_until > clock_timestamp()`;

/** Waits for the endpoint's lock only where a slot has to be taken. */
const LOCK_ENDPOINT = `SELECT 1 FROM endpoints e
     WHERE e.id = (SELECT endpoint_id FROM deliveries WHERE id = $1)
       AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = $1 AND ${HAS_SLOT})
     FOR NO KEY UPDATE OF e`;

const CLAIM = `WITH d AS MATERIALIZED (
       SELECT id, project_id, endpoint_id, event_id, event_name, test, policy, status, failure, attempts, underway, bulk,
         scheduled_attempts, round, served, first_attempt_at, next_attempt_at, last_http_status, last_error
       FROM deliveries WHERE id = $1 FOR UPDATE
     ), seen AS MATERIALIZED (
       SELECT d.id, d.project_id, d.endpoint_id, d.event_id, d.event_name, d.test, d.policy, d.status, d.failure, d.attempts,
         d.underway, d.bulk, d.scheduled_attempts, d.round, d.served, d.first_attempt_at, d.next_attempt_at,
         d.last_http_status, d.last_error, e.url, e.version AS endpoint_version, e.concurrency, e.headers_sealed,
         -- An attempt that was claimed and has no result is made again under its own number.
         CASE WHEN d.underway IS NULL THEN d.attempts + 1 ELSE d.attempts END AS next_number,
         e.status AS endpoint_status, e.deleted_at,
         coalesce(${HAS_SLOT}, false) AS has_slot,
         coalesce(q.holder = 'express' AND q.lease_until > clock_timestamp(), false) AS in_express,
         -- After the wait for the locks, and one moment for everything that is written and returned.
         clock_timestamp() AS moment
       FROM d JOIN endpoints e ON e.id = d.endpoint_id LEFT JOIN delivery_queue q ON q.delivery_id = d.id
     ), judged AS MATERIALIZED (
       SELECT seen.id, seen.project_id, seen.endpoint_id, seen.event_id, seen.event_name, seen.test, seen.policy,
         seen.status, seen.failure, seen.attempts, seen.underway, seen.bulk, seen.scheduled_attempts, seen.round, seen.served,
         seen.first_attempt_at, seen.next_attempt_at, seen.last_http_status, seen.last_error, seen.url,
         seen.endpoint_version, seen.concurrency, seen.headers_sealed, seen.next_number, seen.in_express, seen.moment, CASE
         WHEN $2 = attempts AND underway IS NULL THEN 'done'
         WHEN status <> 'pending' OR deleted_at IS NOT NULL THEN 'ended'
         WHEN in_express THEN 'busy'
         WHEN $2 <> next_number THEN 'superseded'
         WHEN endpoint_status = 'disabled' THEN 'parked'
         WHEN $2 = attempts THEN 'go'
         -- Temporal's clock and the database's differ a little: a workflow that is early waits the rest.
         WHEN round <= served AND next_attempt_at > clock_timestamp() + interval '50 milliseconds' THEN 'early'
         WHEN NOT has_slot AND ${inFlight('endpoint_id')} >= least(concurrency, $3) THEN 'busy'
         ELSE 'go' END AS verdict
       FROM seen
     ), claimed AS (
       UPDATE deliveries SET
         -- The first attempt is the schedule's own, also where a person asked for it.
         underway = CASE WHEN judged.round > judged.served AND judged.attempts > 0 THEN 'requested' ELSE 'scheduled' END,
         attempts = $2, served = least(deliveries.served + 1, deliveries.round),
         first_attempt_at = coalesce(deliveries.first_attempt_at, moment), next_attempt_at = NULL,
         started = true, overdue_at = moment + interval '150 seconds'
       FROM judged WHERE deliveries.id = judged.id AND verdict = 'go' AND $2 <> judged.attempts
     ), waits AS (
       UPDATE deliveries SET started = true,
         overdue_at = CASE WHEN verdict = 'early' THEN judged.next_attempt_at + interval '2 minutes' ELSE 'infinity' END
       FROM judged WHERE deliveries.id = judged.id AND verdict IN ('busy', 'parked', 'early')
     ), abandoned AS (
       UPDATE deliveries SET status = 'cancelled', cancel_reason = 'endpoint_removed', ended_at = moment,
         next_attempt_at = NULL, served = deliveries.round, underway = NULL
       FROM judged WHERE deliveries.id = judged.id AND verdict = 'ended' AND judged.status = 'pending'
     ), queued AS (
       INSERT INTO delivery_queue AS q (delivery_id, endpoint_id, project_id, priority, due_at, is_first, holder, claimed_at,
         lease_until)
       SELECT id, endpoint_id, project_id, CASE WHEN round > served THEN 0 WHEN bulk THEN 2 ELSE 1 END,
         coalesce(next_attempt_at, moment), false, CASE verdict WHEN 'go' THEN 'workflow' END,
         CASE verdict WHEN 'go' THEN moment END,
         CASE verdict WHEN 'go' THEN moment + ${ATTEMPT_LEASE} END
       FROM judged WHERE verdict IN ('go', 'busy', 'parked') AND NOT in_express
       ON CONFLICT (delivery_id) DO UPDATE SET priority = excluded.priority, due_at = excluded.due_at, is_first = false,
         needs_slot = true, holder = excluded.holder, claimed_at = excluded.claimed_at, lease_until = excluded.lease_until
     ), dequeued AS (
       DELETE FROM delivery_queue q USING judged j WHERE q.delivery_id = j.id AND verdict IN ('early', 'ended')
         AND NOT j.in_express
     ), attempt AS (
       INSERT INTO attempts (delivery_id, number, requested, claimed_at)
       SELECT id, $2, round > served AND attempts > 0, moment FROM judged WHERE verdict = 'go'
       ON CONFLICT (delivery_id, number) DO UPDATE SET claimed_at = excluded.claimed_at
     )
     SELECT verdict, ${ms('moment')} AS now, next_number, j.project_id, endpoint_id, endpoint_version, concurrency,
       headers_sealed, event_name, test, policy, url, CASE WHEN verdict = 'ended' AND status = 'pending' THEN 'cancelled' ELSE status END AS status,
       failure, attempts, last_http_status, last_error, scheduled_attempts,
       CASE WHEN $2 = attempts THEN coalesce(underway = 'requested', false) ELSE round > served AND attempts > 0 END AS requested,
       ${ms('coalesce(first_attempt_at, moment)')} AS first_attempt_at,
       ${ms('next_attempt_at')} AS next_attempt_at,
       CASE WHEN verdict = 'go' THEN (
         SELECT array_agg(sealed ORDER BY s.id DESC) FROM endpoint_secrets s
         WHERE s.endpoint_id = j.endpoint_id AND (s.expires_at IS NULL OR s.expires_at > now())
       ) END AS sealed_secrets,
       CASE WHEN verdict = 'go' THEN (SELECT body FROM events WHERE id = j.event_id) END AS body
     FROM judged j`;

/** A statement of its own, so that `CLAIM` reads the queue as it is after the wait. */
const LOCK_DELIVERY = 'SELECT 1 FROM deliveries WHERE id = $1 FOR UPDATE';

/**
 * Claims attempt `number` for a workflow and reads everything that it needs, in one round trip. The delivery's row is
 * locked, so claims, results, retries and cancels of one delivery happen one after another.
 */
export async function claimAttempt(pool: pg.Pool, deliveryId: string, number: number): Promise<Claim | null> {
  const [, , , claim] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      useIndexes(db),
      row(db, 'lock_endpoint_of_attempt', LOCK_ENDPOINT, [deliveryId]),
      row(db, 'lock_delivery_of_attempt', LOCK_DELIVERY, [deliveryId]),
      row<Claim>(db, 'claim_attempt', CLAIM, [deliveryId, number, limits.webhookConcurrencyPerEndpoint]),
    ]),
  );
  return claim;
}

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

/** What waits for a relay now. */
interface Waiting {
  workflow_waits: boolean;
  /** A first attempt, in the lane of the endpoint. */
  first_waits: boolean;
  lane_of_first: LaneSetting | null;
}

/** A statement that changes the endpoint's row locks it before the delivery, as claims do. */
const LOCK_CHANGED_ENDPOINT = `SELECT 1 FROM endpoints e
     WHERE e.id = (SELECT endpoint_id FROM deliveries WHERE id = $1) AND CASE $2::text
       WHEN 'success' THEN ${ENDS_FAILURES}
       WHEN 'gone' THEN true
       ELSE e.failing_since IS NULL OR e.failing_since <= now() - make_interval(hours => $3) END
     FOR NO KEY UPDATE OF e`;

const RECORD = `WITH locked AS MATERIALIZED (
       SELECT id FROM deliveries WHERE id = $1 FOR UPDATE
     ), attempt AS (
       UPDATE attempts SET finished_at = clock_timestamp(), duration_ms = $3, http_status = $4, error = $5,
         error_detail = $6, response_body = $7, response_headers = $8, request_headers = $14,
         lost_at = CASE WHEN $5 = '${LOST}' THEN clock_timestamp() END,
         next_attempt_at = to_timestamp($10::float8 / 1000)
       FROM locked WHERE delivery_id = locked.id AND number = $2 AND finished_at IS NULL
       RETURNING requested
     ), delivery AS (
       UPDATE deliveries d SET
         scheduled_attempts = scheduled_attempts + CASE WHEN requested THEN 0 ELSE 1 END,
         last_http_status = $4, last_error = $5, underway = NULL,
         (status, failure, ended_at, next_attempt_at, overdue_at) = (
           SELECT next.status,
             CASE WHEN next.status <> 'failed' THEN NULL WHEN $9 = 'retry' THEN 'exhausted' ELSE 'refused' END,
             CASE WHEN next.status <> 'pending' THEN coalesce(d.ended_at, now()) END, next.at,
             greatest(next.at, clock_timestamp()) + interval '2 minutes'
           FROM (SELECT state.status,
                   CASE WHEN state.status <> 'pending' THEN NULL
                        WHEN d.round > d.served THEN now() ELSE to_timestamp($10::float8 / 1000) END AS at
                 FROM (SELECT CASE
                         -- Another attempt was requested while this one was in flight.
                         WHEN d.round > d.served THEN 'pending'
                         WHEN $9 = 'success' THEN 'succeeded'
                         -- Cancelled meanwhile, or ended by a late 2xx of the express lane.
                         WHEN d.status IN ('cancelled', 'succeeded') THEN d.status
                         WHEN $10::float8 IS NULL THEN 'failed' ELSE 'pending' END AS status) state) next)
       FROM attempt WHERE d.id = $1
       RETURNING d.id, d.endpoint_id, d.status, d.failure, d.attempts, d.last_http_status, d.last_error, d.next_attempt_at,
         d.round > d.served AS again
     ), freed AS (
       -- What the express lane could not deliver stays queued for a workflow; a workflow waits by itself.
       DELETE FROM delivery_queue q USING delivery d
       WHERE q.delivery_id = d.id AND NOT ($13 AND d.status IN ('pending', 'failed'))
     ), requeued AS (
       UPDATE delivery_queue q SET holder = NULL, claimed_at = NULL, lease_until = NULL, is_first = false,
         needs_slot = d.again, due_at = clock_timestamp(), priority = CASE WHEN d.again THEN 0 ELSE q.priority END
       FROM delivery d WHERE q.delivery_id = d.id AND $13 AND d.status IN ('pending', 'failed')
     ), recovered AS (
       UPDATE endpoints e SET ${END_FAILURES}
       FROM delivery d WHERE e.id = d.endpoint_id AND $9 = 'success' AND ${ENDS_FAILURES}
     ), failing AS (
       SELECT e.id, e.status = 'active' AND e.version = $11 AND ($9 = 'gone'
           OR coalesce(e.failing_since <= now() - make_interval(hours => $12), false)) AS disables
       FROM delivery d JOIN endpoints e ON e.id = d.endpoint_id
       WHERE $9 <> 'success'
     ), failed AS (
       UPDATE endpoints e SET
         failing_since = coalesce(e.failing_since, now()),
         status = CASE WHEN disables THEN 'disabled' ELSE status END,
         disabled_at = CASE WHEN disables THEN now() ELSE disabled_at END,
         disabled_reason = CASE WHEN NOT disables THEN disabled_reason WHEN $9 = 'gone' THEN 'gone' ELSE 'failing' END,
         alert = CASE WHEN disables THEN 'disabled' ELSE alert END,
         unannounced = CASE WHEN disables THEN e.unannounced || jsonb_build_object('event', 'endpoint.disabled', 'at', now(),
           'reason', CASE WHEN $9 = 'gone' THEN 'gone' ELSE 'failing' END) ELSE e.unannounced END,
         version = version + CASE WHEN disables THEN 1 ELSE 0 END,
         updated_at = CASE WHEN disables THEN now() ELSE updated_at END
       FROM failing f
       -- Written only when it changes: a failing endpoint's row must not become a bottleneck.
       WHERE e.id = f.id AND e.version = $11 AND (disables OR e.failing_since IS NULL)
       RETURNING disables, disabled_reason
     )
     SELECT d.status, d.failure, d.attempts, d.last_http_status, d.last_error,
       ${ms('d.next_attempt_at')} AS next_attempt_at,
       (SELECT disabled_reason FROM failed WHERE disables) AS disabled_reason,
       $13 OR EXISTS (SELECT 1 FROM delivery_queue w WHERE w.endpoint_id = d.endpoint_id AND w.holder IS NULL
         AND w.needs_slot AND NOT w.is_first) AS workflow_waits,
       EXISTS (SELECT 1 FROM delivery_queue w WHERE w.endpoint_id = d.endpoint_id AND w.holder IS NULL
         AND w.needs_slot AND w.is_first) AS first_waits,
       (SELECT e.delivery_lane FROM endpoints e WHERE e.id = d.endpoint_id) AS lane_of_first
     FROM delivery d`;

/** Writes the claim of a first attempt of the express lane, which was the queue's row alone, as `RECORD` expects it. */
const WRITE_EXPRESS_CLAIM = `WITH delivery AS (
       UPDATE deliveries d SET lane = 'express', attempts = 1, underway = 'scheduled', first_attempt_at = q.claimed_at,
         next_attempt_at = NULL
       FROM delivery_queue q WHERE d.id = $1 AND q.delivery_id = d.id AND q.holder = 'express' AND d.attempts = 0
       RETURNING d.id, d.first_attempt_at
     )
     INSERT INTO attempts (delivery_id, number, requested, claimed_at) SELECT id, 1, false, first_attempt_at FROM delivery`;

/**
 * Writes the result, the delivery's new state and what it means for the endpoint, together and once. Null when the
 * attempt has a result already. `isExpress`: the attempt is the express lane's, and the relay starts the
 * workflow for what follows.
 */
export async function recordAttempt(
  pool: pg.Pool,
  claim: { deliveryId: string; number: number; endpointVersion: number },
  { result, verdict, next }: JudgedResult,
  { isExpress = false }: { isExpress?: boolean } = {},
): Promise<RecordedAttempt | null> {
  const [, , , recorded] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      useIndexes(db),
      row(db, 'lock_changed_endpoint', LOCK_CHANGED_ENDPOINT, [
        claim.deliveryId,
        verdict,
        limits.webhookDisableAfterHours,
      ]),
      isExpress ? change(db, 'write_express_claim', WRITE_EXPRESS_CLAIM, [claim.deliveryId]) : null,
      row<RecordedAttempt & Waiting>(db, 'record_attempt', RECORD, [
        claim.deliveryId,
        claim.number,
        result.durationMs,
        result.status,
        result.error,
        result.errorDetail,
        result.responseBody,
        result.responseHeaders,
        verdict,
        next,
        claim.endpointVersion,
        limits.webhookDisableAfterHours,
        isExpress,
        result.requestHeaders,
      ]),
      countResults(db, [claim.deliveryId]),
    ]),
  );
  // A slot is free, or the workflow is to be started: the relay need not wait for its next sweep.
  if (recorded?.workflow_waits) wakeLane(pool, 'workflow');
  if (recorded?.first_waits) wakeLane(pool, recorded.lane_of_first);
  return recorded;
}

export interface AttemptRow {
  number: number;
  claimed_at: Date;
  duration_ms: number | null;
  http_status: number | null;
  error: string | null;
  error_detail: string | null;
  request_headers: Record<string, string> | null;
  response_body: string | null;
  response_headers: Record<string, string> | null;
  next_attempt_at: Date | null;
}

export function listAttempts(db: Db, deliveryId: string): Promise<AttemptRow[]> {
  return rows<AttemptRow>(
    db,
    'list_attempts',
    `SELECT number, claimed_at, duration_ms, http_status, error, error_detail, request_headers, response_body,
       response_headers, next_attempt_at
     FROM attempts WHERE delivery_id = $1
     UNION ALL
     SELECT 1, f.claimed_at, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
     FROM deliveries d JOIN delivery_queue f ON ${FIRST_IN_FLIGHT} WHERE d.id = $1
     ORDER BY number`,
    [deliveryId],
  );
}

/** Asked only while tracing is on: the hot statements carry nothing of it. */
export async function findEventTraceparent(db: Db, deliveryId: string): Promise<string | null> {
  const found = await row<{ traceparent: string | null }>(
    db,
    'find_event_traceparent',
    'SELECT e.traceparent FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.id = $1',
    [deliveryId],
  );
  return found?.traceparent ?? null;
}
