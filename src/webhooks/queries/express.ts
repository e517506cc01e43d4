import type pg from 'pg';
import type { RetryPolicyName } from '../contract';
import { claimSlots, doesLaneWait, dueDeliveries, dueValues, type Allowances } from './starts';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';

/** The word in the log for an attempt whose process died before it could write the result. */
export const LOST = 'lost';

/** A first attempt that is ours to make: committed with its time and lease before anything is dialled. */
export interface ExpressClaim {
  id: string;
  project_id: string;
  endpoint_id: string;
  endpoint_version: number;
  event_name: string;
  policy: RetryPolicyName;
  url: string;
  sealed_secrets: string[];
  body: string;
  scheduled_attempts: number;
  requested: boolean;
  first_attempt_at: number;
}

/** Longer than an attempt can take, by the database's clock. */
const LEASE = `interval '20 seconds'`;

/**
 * For how long a lane in a flood promises to look by itself, and when it must at the latest: the rest is for transactions
 * that were open when the promise ended. The sweep finds what was slower.
 */
export const promise = { promisedMs: 25, looksAgainMs: 75 } as const;

/**
 * Claims first attempts in a batch: the same slots, turns and order as in the workflow lane. Who knows that one waits
 * (`expected`) need not ask first; whoever claims as many as `promisesFrom` promises to look for more by itself.
 */
export async function claimExpress(
  pool: pg.Pool,
  limit: number,
  allowances: Allowances,
  { expected = false, promisesFrom = limit }: { expected?: boolean; promisesFrom?: number } = {},
): Promise<ExpressClaim[]> {
  if (!expected && !(await doesLaneWait(pool, 'express', allowances))) return [];
  return claimSlots<ExpressClaim>(
    pool,
    'claim_express',
    `${dueDeliveries('express')}, claimed AS (
       UPDATE deliveries d SET attempts = 1, underway = 'scheduled', first_attempt_at = now(), next_attempt_at = NULL,
         start_at = NULL, slot_until = now() + ${LEASE}, overdue_at = now() + interval '150 seconds',
         lease_token = gen_random_uuid(), lease_until = now() + ${LEASE}
       FROM chosen WHERE d.id = chosen.id AND d.status = 'pending' AND d.attempts = 0
       RETURNING d.*
     ), attempt AS (
       INSERT INTO attempts (delivery_id, number, requested) SELECT id, 1, false FROM claimed
     ), promise AS (
       -- One that has no room left could not keep it.
       INSERT INTO look_promises (lane, until)
       SELECT 'express', clock_timestamp() + interval '${promise.promisedMs} milliseconds'
       FROM (SELECT count(*) AS count FROM chosen) c WHERE c.count >= $5 AND c.count < $1
       ON CONFLICT (lane) DO UPDATE SET until = excluded.until
     )
     SELECT c.id, c.project_id, c.endpoint_id, e.version AS endpoint_version, c.event_name, c.policy, e.url, v.body,
       0 AS scheduled_attempts, false AS requested,
       (extract(epoch FROM c.first_attempt_at) * 1000)::float8 AS first_attempt_at,
       (SELECT array_agg(sealed ORDER BY s.id DESC) FROM endpoint_secrets s
        WHERE s.endpoint_id = c.endpoint_id AND (s.expires_at IS NULL OR s.expires_at > now())) AS sealed_secrets
     FROM claimed c JOIN endpoints e ON e.id = c.endpoint_id JOIN events v ON v.id = c.event_id`,
    [...dueValues(limit, allowances), promisesFrom],
  );
}

export interface ExpressSuccess {
  id: string;
  http_status: number;
  duration_ms: number;
  response_body: string | null;
  response_headers: Record<string, string>;
}

/**
 * Ends deliveries that succeeded at once, many in one statement. A 2xx that comes after its lease was over ends the
 * delivery all the same: the receiver has it.
 */
export async function recordSuccesses(db: Db, successes: ExpressSuccess[]): Promise<void> {
  await change(
    db,
    'express_successes',
    `WITH result AS (
       SELECT * FROM unnest($1::uuid[], $2::int[], $3::int[], $4::text[], $5::jsonb[])
         AS r (id, http_status, duration_ms, response_body, response_headers)
     ), attempt AS (
       UPDATE attempts a SET finished_at = now(), duration_ms = r.duration_ms, http_status = r.http_status, error = NULL,
         error_detail = NULL, response_body = r.response_body, response_headers = r.response_headers, next_attempt_at = NULL
       FROM result r WHERE a.delivery_id = r.id AND a.number = 1 AND (a.finished_at IS NULL OR a.error = '${LOST}')
       RETURNING a.delivery_id, r.http_status
     ), delivery AS (
       UPDATE deliveries d SET scheduled_attempts = greatest(d.scheduled_attempts, 1), slot_until = NULL,
         underway = CASE WHEN d.attempts = 1 THEN NULL ELSE d.underway END, lease_token = NULL,
         last_http_status = a.http_status, last_error = NULL,
         -- Somebody asked for one more attempt while this one was under way: its workflow makes it.
         status = CASE WHEN d.round > d.served THEN 'pending' ELSE 'succeeded' END,
         failure = NULL,
         ended_at = CASE WHEN d.round > d.served THEN NULL ELSE coalesce(d.ended_at, now()) END,
         next_attempt_at = CASE WHEN d.round > d.served THEN now() END,
         start_at = CASE WHEN d.round > d.served OR d.started THEN now() END
       FROM attempt a WHERE d.id = a.delivery_id
       RETURNING d.endpoint_id
     ), recovered AS (
       UPDATE endpoints e SET failing_since = NULL, failing_delivery = NULL, failing_several = false
       FROM (SELECT DISTINCT endpoint_id FROM delivery) d WHERE e.id = d.endpoint_id AND e.failing_since IS NOT NULL
     )
     SELECT 1`,
    [
      successes.map(({ id }) => id),
      successes.map(({ http_status }) => http_status),
      successes.map(({ duration_ms }) => Math.round(duration_ms)),
      successes.map(({ response_body }) => response_body),
      successes.map(({ response_headers }) => JSON.stringify(response_headers)),
    ],
  );
}

/** Gives a delivery whose first attempt did not succeed to its workflow, which goes on with the schedule. */
export async function handOver(db: Db, deliveryId: string): Promise<void> {
  await row(
    db,
    'hand_over',
    `WITH handed AS (
       UPDATE deliveries SET lease_token = NULL, lease_until = NULL, start_at = now()
       WHERE id = $1 AND status IN ('pending', 'failed') RETURNING 1)
     SELECT pg_notify($2, 'workflow') FROM handed`,
    [deliveryId, notifyChannels.delivery],
  );
}

/** First attempts whose process has died: nobody will write their result any more. */
export function findLostAttempts(db: Db, limit: number): Promise<(ExpressClaim & { now: number })[]> {
  return rows<ExpressClaim & { now: number }>(
    db,
    'lost_attempts',
    `SELECT id, policy, scheduled_attempts, false AS requested,
       (extract(epoch FROM first_attempt_at) * 1000)::float8 AS first_attempt_at,
       (extract(epoch FROM now()) * 1000)::float8 AS now
     FROM deliveries WHERE lease_token IS NOT NULL AND lease_until < now() ORDER BY lease_until LIMIT $1`,
    [limit],
  );
}

/** Takes the lease of a lost attempt, if nobody else has and it is still over. */
export async function takeLostLease(db: Db, deliveryId: string): Promise<boolean> {
  const taken = await change(
    db,
    'take_lost_lease',
    `UPDATE deliveries SET lease_token = NULL WHERE id = $1 AND lease_token IS NOT NULL AND lease_until < now()`,
    [deliveryId],
  );
  return taken > 0;
}
