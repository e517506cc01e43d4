import { limits } from '../../contract/limits';
import type { RetryPolicyName } from '../contract';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';

/**
 * What a claim found:
 * `go` – the attempt is ours to make; `done` – it has its result already; `superseded` – another number is next;
 * `early` – nothing is due; `busy` – the endpoint has no free slot, and the relay wakes us when it has;
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

export interface Claim extends DeliveryState {
  verdict: ClaimVerdict;
  now: number;
  /** The number that is next, where it is not the one asked for. */
  next_number: number;
  project_id: string;
  endpoint_id: string;
  endpoint_version: number;
  event_name: string;
  policy: RetryPolicyName;
  url: string;
  /** Newest first, as stored. Null unless the verdict is `go`; so is the body. */
  sealed_secrets: string[] | null;
  body: string | null;
  scheduled_attempts: number;
  requested: boolean;
  first_attempt_at: number;
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`;

/**
 * Claims attempt `number` and reads everything that it needs, in one statement. The delivery's row is locked first,
 * so claims, results, retries and cancels of one delivery happen one after another.
 */
export function claimAttempt(db: Db, deliveryId: string, number: number): Promise<Claim | null> {
  return row<Claim>(
    db,
    'claim_attempt',
    `WITH d AS MATERIALIZED (
       SELECT * FROM deliveries WHERE id = $1 FOR UPDATE
     ), seen AS MATERIALIZED (
       SELECT d.*, e.url, e.version AS endpoint_version,
         -- An attempt that was claimed and has no result is made again under its own number.
         CASE WHEN d.underway IS NULL THEN d.attempts + 1 ELSE d.attempts END AS next_number,
         e.status AS endpoint_status, e.deleted_at
       FROM d JOIN endpoints e ON e.id = d.endpoint_id
     ), judged AS MATERIALIZED (
       SELECT seen.*, CASE
         WHEN $2 = attempts AND underway IS NULL THEN 'done'
         WHEN status <> 'pending' OR deleted_at IS NOT NULL THEN 'ended'
         -- The express lane is making the first attempt right now.
         WHEN lease_token IS NOT NULL AND lease_until > now() THEN 'busy'
         WHEN $2 <> next_number THEN 'superseded'
         WHEN endpoint_status = 'disabled' THEN 'parked'
         WHEN $2 = attempts THEN 'go'
         -- Temporal's clock and the database's differ by a little; whoever is early waits the rest.
         WHEN round <= served AND next_attempt_at > now() + interval '50 milliseconds' THEN 'early'
         WHEN (SELECT count(*) FROM deliveries o WHERE o.endpoint_id = seen.endpoint_id AND o.slot_until > now()
                 AND o.id <> seen.id) >= $3 THEN 'busy'
         ELSE 'go' END AS verdict
       FROM seen
     ), claimed AS (
       UPDATE deliveries SET
         -- The first attempt is the schedule's own, whoever asked for it.
         underway = CASE WHEN judged.round > judged.served AND judged.attempts > 0 THEN 'requested' ELSE 'scheduled' END,
         attempts = $2, served = least(deliveries.served + 1, deliveries.round),
         first_attempt_at = coalesce(deliveries.first_attempt_at, now()), next_attempt_at = NULL,
         start_at = NULL, started = true, slot_until = now() + interval '20 seconds',
         overdue_at = now() + interval '150 seconds'
       FROM judged WHERE deliveries.id = judged.id AND verdict = 'go' AND $2 <> judged.attempts
     ), claimed_again AS (
       UPDATE deliveries SET slot_until = now() + interval '20 seconds', start_at = NULL, lease_token = NULL
       FROM judged WHERE deliveries.id = judged.id AND verdict = 'go' AND $2 = judged.attempts
     ), queued AS (
       UPDATE deliveries SET started = true, slot_until = NULL,
         start_at = CASE verdict WHEN 'busy' THEN coalesce(deliveries.next_attempt_at, now())
                                 WHEN 'parked' THEN deliveries.created_at ELSE deliveries.start_at END
       FROM judged WHERE deliveries.id = judged.id AND verdict IN ('busy', 'parked', 'early')
     ), abandoned AS (
       UPDATE deliveries SET status = 'cancelled', ended_at = now(), next_attempt_at = NULL,
         served = deliveries.round, start_at = NULL, slot_until = NULL, underway = NULL
       FROM judged WHERE deliveries.id = judged.id AND verdict = 'ended' AND judged.status = 'pending'
     ), attempt AS (
       INSERT INTO attempts (delivery_id, number, requested)
       SELECT id, $2, round > served AND attempts > 0 FROM judged WHERE verdict = 'go'
       ON CONFLICT (delivery_id, number) DO UPDATE SET claimed_at = now()
     )
     SELECT verdict, ${ms('now()')} AS now, next_number, j.project_id, endpoint_id, endpoint_version, event_name,
       policy, url, CASE WHEN verdict = 'ended' AND status = 'pending' THEN 'cancelled' ELSE status END AS status,
       failure, attempts, last_http_status, last_error, scheduled_attempts,
       CASE WHEN $2 = attempts THEN coalesce(underway = 'requested', false) ELSE round > served AND attempts > 0 END AS requested,
       ${ms('coalesce(first_attempt_at, now())')} AS first_attempt_at,
       ${ms('next_attempt_at')} AS next_attempt_at,
       CASE WHEN verdict = 'go' THEN (
         SELECT array_agg(sealed ORDER BY s.id DESC) FROM endpoint_secrets s
         WHERE s.endpoint_id = j.endpoint_id AND (s.expires_at IS NULL OR s.expires_at > now())
       ) END AS sealed_secrets,
       CASE WHEN verdict = 'go' THEN (SELECT body FROM events WHERE id = j.event_id) END AS body
     FROM judged j`,
    [deliveryId, number, limits.webhookConcurrencyPerEndpoint],
  );
}

export interface AttemptOutcome {
  httpStatus: number | null;
  error: string | null;
  errorDetail: string | null;
  durationMs: number;
  responseBody: string | null;
  responseHeaders: Record<string, string>;
  verdict: 'success' | 'retry' | 'refuse' | 'gone';
  /** Milliseconds of the database's clock; null when the schedule has no place left or the receiver refused. */
  nextAttemptAt: number | null;
}

export interface RecordedAttempt extends DeliveryState {
  /** Set when this attempt was the one that disabled its endpoint. */
  disabled_reason: string | null;
}

export const disabledReasons = {
  gone: 'The receiver answered 410 Gone.',
  failing: `Every attempt failed for ${limits.webhookDisableAfterHours} hours.`,
};

/**
 * Writes the result, the delivery's new state and what it means for the endpoint, together and once. Null when the
 * attempt has a result already.
 */
export function recordAttempt(
  db: Db,
  claim: { deliveryId: string; number: number; endpointVersion: number },
  outcome: AttemptOutcome,
): Promise<RecordedAttempt | null> {
  return row<RecordedAttempt>(
    db,
    'record_attempt',
    `WITH attempt AS (
       UPDATE attempts SET finished_at = now(), duration_ms = $3, http_status = $4, error = $5, error_detail = $6,
         response_body = $7, response_headers = $8, next_attempt_at = to_timestamp($10::float8 / 1000)
       WHERE delivery_id = $1 AND number = $2 AND finished_at IS NULL
       RETURNING requested
     ), delivery AS (
       UPDATE deliveries d SET
         scheduled_attempts = scheduled_attempts + CASE WHEN requested THEN 0 ELSE 1 END,
         last_http_status = $4, last_error = $5, slot_until = NULL, underway = NULL, lease_token = NULL,
         (status, failure, ended_at, next_attempt_at, overdue_at) = (
           SELECT next.status,
             CASE WHEN next.status <> 'failed' THEN NULL WHEN $9 = 'retry' THEN 'exhausted' ELSE 'refused' END,
             CASE WHEN next.status <> 'pending' THEN coalesce(d.ended_at, now()) END, next.at,
             coalesce(next.at, now()) + interval '2 minutes'
           FROM (SELECT state.status,
                   CASE WHEN state.status <> 'pending' THEN NULL
                        WHEN d.round > d.served THEN now() ELSE to_timestamp($10::float8 / 1000) END AS at
                 FROM (SELECT CASE
                         -- Somebody asked for one more attempt while this one was under way.
                         WHEN d.round > d.served THEN 'pending'
                         WHEN $9 = 'success' THEN 'succeeded'
                         -- Cancelled meanwhile, or ended by a late 2xx of the express lane.
                         WHEN d.status IN ('cancelled', 'succeeded') THEN d.status
                         WHEN $10::float8 IS NULL THEN 'failed' ELSE 'pending' END AS status) state) next)
       FROM attempt WHERE d.id = $1
       RETURNING d.*
     ), recovered AS (
       UPDATE endpoints e SET failing_since = NULL, failing_delivery = NULL, failing_several = false
       FROM delivery d WHERE e.id = d.endpoint_id AND $9 = 'success' AND e.failing_since IS NOT NULL
     ), failing AS (
       SELECT e.id, d.id AS delivery_id,
         e.failing_several OR coalesce(e.failing_delivery <> d.id, false) AS several,
         e.status = 'active' AND e.version = $11 AND ($9 = 'gone' OR (
           coalesce(e.failing_since <= now() - make_interval(hours => $12), false)
           AND (e.failing_several OR e.failing_delivery <> d.id))) AS disables
       FROM delivery d JOIN endpoints e ON e.id = d.endpoint_id
       WHERE $9 <> 'success'
     ), failed AS (
       UPDATE endpoints e SET
         failing_since = coalesce(e.failing_since, now()),
         failing_delivery = coalesce(e.failing_delivery, f.delivery_id),
         failing_several = several,
         status = CASE WHEN disables THEN 'disabled' ELSE status END,
         disabled_at = CASE WHEN disables THEN now() ELSE disabled_at END,
         disabled_reason = CASE WHEN NOT disables THEN disabled_reason WHEN $9 = 'gone' THEN $13 ELSE $14 END,
         version = version + CASE WHEN disables THEN 1 ELSE 0 END,
         updated_at = CASE WHEN disables THEN now() ELSE updated_at END
       FROM failing f
       -- Written only when it changes: a failing endpoint's row must not become a bottleneck.
       WHERE e.id = f.id AND e.version = $11 AND (disables OR e.failing_since IS NULL
         OR e.failing_several <> several)
       RETURNING disables, disabled_reason
     )
     SELECT d.status, d.failure, d.attempts, d.last_http_status, d.last_error,
       ${ms('d.next_attempt_at')} AS next_attempt_at,
       (SELECT disabled_reason FROM failed WHERE disables) AS disabled_reason,
       -- A slot is free: the relay need not wait for its sweep if somebody queues for it.
       (SELECT pg_notify($15, 'any ' || d.endpoint_id) WHERE EXISTS (
          SELECT 1 FROM deliveries w
          WHERE w.endpoint_id = d.endpoint_id AND w.status = 'pending' AND w.start_at <= now()))
     FROM delivery d`,
    [
      claim.deliveryId,
      claim.number,
      outcome.durationMs,
      outcome.httpStatus,
      outcome.error,
      outcome.errorDetail,
      outcome.responseBody,
      outcome.responseHeaders,
      outcome.verdict,
      outcome.nextAttemptAt,
      claim.endpointVersion,
      limits.webhookDisableAfterHours,
      disabledReasons.gone,
      disabledReasons.failing,
      notifyChannels.delivery,
    ],
  );
}

export interface AttemptRow {
  number: number;
  claimed_at: Date;
  duration_ms: number | null;
  http_status: number | null;
  error: string | null;
  error_detail: string | null;
  response_body: string | null;
  response_headers: Record<string, string> | null;
  next_attempt_at: Date | null;
}

export function listAttempts(db: Db, deliveryId: string): Promise<AttemptRow[]> {
  return rows<AttemptRow>(
    db,
    'list_attempts',
    `SELECT number, claimed_at, duration_ms, http_status, error, error_detail, response_body, response_headers,
       next_attempt_at
     FROM attempts WHERE delivery_id = $1 ORDER BY number`,
    [deliveryId],
  );
}
