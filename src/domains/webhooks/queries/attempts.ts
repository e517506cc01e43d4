import type pg from 'pg';
import { limits } from '../../../base/contract/limits';
import { useIndexes } from '../../../base/db/by-indexes';
import { withPipelinedTransaction, type Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { ATTEMPT_LEASE, type ClaimedAttempt } from './claim';
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

export const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

/** The relay has claimed a slot for this delivery, or its attempt is being repeated. */
const HAS_SLOT = `q.holder IN ('relay', 'workflow') AND q.needs_slot AND q.lease_until > clock_timestamp()`;

/** Waits for the endpoint's lock only where a slot has to be taken. */
const LOCK_ENDPOINT = `SELECT 1 FROM endpoints e
     WHERE e.id = (SELECT endpoint_id FROM deliveries WHERE id = $1)
       AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = $1 AND ${HAS_SLOT})
     FOR NO KEY UPDATE OF e`;

/** An attempt that was claimed and has no result is made again under its own number. */
const NEXT_NUMBER = 'CASE WHEN d.underway IS NULL THEN d.attempts + 1 ELSE d.attempts END';
const IN_EXPRESS = `coalesce(q.holder = 'express' AND q.lease_until > clock_timestamp(), false)`;

/** `moment` is read after the wait for the locks, once for everything that is written and returned. */
const CLAIM = `WITH judged AS MATERIALIZED (
       SELECT d.id, d.project_id, d.endpoint_id, d.event_id, d.event_name, d.test, d.policy, d.status, d.failure, d.attempts,
         d.underway, d.bulk, d.scheduled_attempts, d.round, d.served, d.first_attempt_at, d.next_attempt_at,
         d.last_http_status, d.last_error, e.url, e.version AS endpoint_version, e.concurrency, e.headers_sealed,
         ${NEXT_NUMBER} AS next_number, ${IN_EXPRESS} AS in_express, clock_timestamp() AS moment, CASE
         WHEN $2 = d.attempts AND d.underway IS NULL THEN 'done'
         WHEN d.status <> 'pending' OR e.deleted_at IS NOT NULL THEN 'ended'
         WHEN ${IN_EXPRESS} THEN 'busy'
         WHEN $2 <> ${NEXT_NUMBER} THEN 'superseded'
         WHEN e.status = 'disabled' THEN 'parked'
         WHEN $2 = d.attempts THEN 'go'
         -- Temporal's clock and the database's differ a little: a workflow that is early waits the rest.
         WHEN d.round <= d.served AND d.next_attempt_at > clock_timestamp() + interval '50 milliseconds' THEN 'early'
         WHEN NOT coalesce(${HAS_SLOT}, false) AND ${inFlight('d.endpoint_id')} >= least(e.concurrency, $3) THEN 'busy'
         ELSE 'go' END AS verdict
       FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id LEFT JOIN delivery_queue q ON q.delivery_id = d.id
       WHERE d.id = $1
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

/** A statement of its own, so that `CLAIM` reads the rows as they are after the wait. */
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
