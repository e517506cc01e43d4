import type pg from 'pg';
import { limits } from '../../../base/contract/limits';
import { byIndexes, useIndexes } from '../../../base/db/by-indexes';
import { withPipelinedTransaction, type Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import type { RetryPolicyName } from '../../projects/contract';
import type { DeliveryLane, LaneSetting } from '../contract';
import { inFlight } from './queue';

/*
 * The claim: which deliveries of the queue continue now, and in which lane. One READ COMMITTED transaction of two statements,
 * in one round trip. The first locks endpoints that have a waiting delivery and a free slot; the second, in a new snapshot,
 * counts what is in flight and claims. Slots are only taken under the endpoint's lock, so the count is exact.
 *
 * SKIP LOCKED, because another process that holds the lock is claiming for the same endpoint.
 */

/** How long a claimed start may take before the delivery is claimed again. */
const START_LEASE = `interval '30 seconds'`;
/** Longer than an attempt can take. */
export const ATTEMPT_LEASE = `interval '20 seconds'`;

export interface ClaimOptions {
  /** Deliveries at most. */
  limit: number;
  /** The lane of endpoints that choose none. */
  defaultLane: LaneSetting;
  /** Starts of workflows do not keep up: `auto` deliveries that have waited for two seconds are claimed for the express lane. */
  isBehind?: boolean;
}

export const SLOTS = `least(e.concurrency, ${limits.webhookConcurrencyPerEndpoint})`;
const LANE = `coalesce(e.delivery_lane, $2)`;
/** Decides the lane of a first attempt `q`: true for express. */
const IS_DIRECT = `(${LANE} = 'express'
         OR (${LANE} = 'auto' AND $3 AND q.due_at <= clock_timestamp() - interval '2 seconds'))`;

/** A first attempt, of a delivery without a workflow. */
export const WAITS_FIRST = 'q.holder IS NULL AND q.needs_slot AND q.is_first';
/** Any other attempt, which belongs to a workflow. */
const WAITS_LATER = 'q.holder IS NULL AND q.needs_slot AND NOT q.is_first';

/**
 * As `q.holder IS NULL`, for a row that is found by its key: in words that match the condition of no index. A plan that was
 * made while the queue was short would otherwise walk through all that wait, once for each row that it claims.
 */
const IS_UNHELD = 'num_nulls(q.holder) = 1';

/** The first waiting row of each endpoint, by a loose index scan: a long queue of one endpoint costs one step. */
export const FIRST_HEADS = `first AS (
       (SELECT q.endpoint_id, q.priority, q.due_at FROM delivery_queue q WHERE ${WAITS_FIRST}
        ORDER BY q.endpoint_id, q.priority, q.due_at LIMIT 1)
       UNION ALL
       SELECT n.endpoint_id, n.priority, n.due_at FROM first h CROSS JOIN LATERAL (
         SELECT q.endpoint_id, q.priority, q.due_at FROM delivery_queue q WHERE ${WAITS_FIRST} AND q.endpoint_id > h.endpoint_id
         ORDER BY q.endpoint_id, q.priority, q.due_at LIMIT 1) n
     )`;
export const LATER_HEADS = `later AS (
       (SELECT q.endpoint_id, q.priority, q.due_at FROM delivery_queue q WHERE ${WAITS_LATER}
        ORDER BY q.endpoint_id, q.priority, q.due_at LIMIT 1)
       UNION ALL
       SELECT n.endpoint_id, n.priority, n.due_at FROM later h CROSS JOIN LATERAL (
         SELECT q.endpoint_id, q.priority, q.due_at FROM delivery_queue q WHERE ${WAITS_LATER} AND q.endpoint_id > h.endpoint_id
         ORDER BY q.endpoint_id, q.priority, q.due_at LIMIT 1) n
     )`;

/** Where the first statement leaves the endpoints that it has locked for the second, so that both share a round trip. */
const LOCKED = 'herald.locked_endpoints';

const LOCK_FOR_WORKFLOWS = `WITH RECURSIVE ${FIRST_HEADS}, ${LATER_HEADS}, head AS (
       SELECT endpoint_id, min(priority) AS priority, min(due_at) AS due_at FROM (
         SELECT endpoint_id, priority, due_at FROM later
         UNION ALL
         SELECT q.endpoint_id, q.priority, q.due_at FROM first q JOIN endpoints e ON e.id = q.endpoint_id
         WHERE NOT ${IS_DIRECT}) waiting
       GROUP BY endpoint_id
     ), locked AS (
       SELECT e.id FROM head JOIN endpoints e ON e.id = head.endpoint_id
       WHERE e.status = 'active' AND e.deleted_at IS NULL AND ${inFlight('e.id')} < ${SLOTS}
       ORDER BY head.priority, head.due_at LIMIT $1
       FOR NO KEY UPDATE OF e SKIP LOCKED
     )
     SELECT set_config('${LOCKED}', coalesce(array_agg(id)::text, '{}'), true) FROM locked`;

/**
 * An express claim need not reach the disk before its attempt. A server that crashes at this moment forgets the claim, and the
 * attempt is made again, like every attempt that is in flight in a crash.
 */
const LOCK_FOR_EXPRESS = `WITH RECURSIVE ${FIRST_HEADS}, locked AS (
       SELECT e.id FROM first q JOIN endpoints e ON e.id = q.endpoint_id
       WHERE e.status = 'active' AND e.deleted_at IS NULL AND ${IS_DIRECT} AND ${inFlight('e.id')} < ${SLOTS}
       ORDER BY q.priority, q.due_at LIMIT $1
       FOR NO KEY UPDATE OF e SKIP LOCKED
     )
     SELECT set_config('${LOCKED}', coalesce(array_agg(id)::text, '{}'), true),
       set_config('synchronous_commit', 'off', true) FROM locked`;

/** Projects take turns, events of broadcasts come last. */
const CHOSEN = `chosen AS (
       SELECT delivery_id FROM (
         SELECT delivery_id, priority, due_at,
           row_number() OVER (PARTITION BY project_id ORDER BY priority, due_at) AS turn
         FROM candidate) in_turn
       ORDER BY priority = 2, turn, priority, due_at LIMIT $1
     )`;
const DELIVERY = `d.id, d.project_id, d.endpoint_id, d.event_id, d.event_name, d.test, d.policy, d.status, d.attempts, d.started,
         d.round, d.served`;

async function claim<Claim extends pg.QueryResultRow>(
  pool: pg.Pool,
  { limit, defaultLane, isBehind = false }: ClaimOptions,
  { lane, lock, text }: { lane: DeliveryLane; lock: string; text: string },
): Promise<Claim[]> {
  const values = [limit, defaultLane, isBehind];
  const [, , claimed] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      useIndexes(db),
      row(db, `lock_endpoints_${lane}`, lock, values),
      rows<Claim>(db, `claim_${lane}`, text, values),
    ]),
  );
  return claimed;
}

/** What the relay needs to start or signal a workflow, read from the row. */
export interface DueStart {
  id: string;
  project_id: string;
  project_slug: string;
  endpoint_id: string;
  url: string;
  event_id: string;
  event_name: string;
  status: 'pending' | 'cancelled' | 'failed';
  attempts: number;
  /** It may have a workflow already, or had one. */
  known: boolean;
  /** An attempt was requested, perhaps of a delivery that had failed. */
  requested: boolean;
  /** The express lane has made the first attempt: when the next one is scheduled, and how the first one ended. */
  after_express: { nextAttemptAt: number; httpStatus: number | null; error: string | null } | null;
}

const START_COLUMNS = `d.id, d.project_id, p.slug AS project_slug, d.endpoint_id, e.url, d.event_id, d.event_name, d.status,
       d.attempts, d.started OR d.round > 0 AS known, d.round > d.served AS requested`;

/** Skips locked deliveries: they are being retried, cancelled or recorded. */
const CLAIM_FOR_WORKFLOWS = `WITH endpoint AS MATERIALIZED (
       SELECT e.id, e.delivery_lane, greatest(0, least($1, ${SLOTS} - ${inFlight('e.id')})) AS room
       FROM endpoints e WHERE e.id = ANY (current_setting('${LOCKED}', true)::uuid[])
     ), candidate AS (
       SELECT next.delivery_id, next.project_id, next.priority, next.due_at FROM endpoint e CROSS JOIN LATERAL (
         SELECT q.delivery_id, q.project_id, q.priority, q.due_at FROM (
           (SELECT q.delivery_id, q.project_id, q.priority, q.due_at FROM delivery_queue q
            WHERE q.endpoint_id = e.id AND ${WAITS_LATER} ORDER BY q.priority, q.due_at LIMIT e.room)
           UNION ALL
           (SELECT q.delivery_id, q.project_id, q.priority, q.due_at FROM delivery_queue q
            WHERE q.endpoint_id = e.id AND ${WAITS_FIRST} AND NOT ${IS_DIRECT} ORDER BY q.priority, q.due_at LIMIT e.room)) q
         ORDER BY q.priority, q.due_at LIMIT e.room) next
     ), ${CHOSEN}, delivery AS MATERIALIZED (
       -- Changed below. The delivery's lock comes before that of its row in the queue.
       SELECT ${DELIVERY} FROM chosen c JOIN delivery_queue q ON q.delivery_id = c.delivery_id JOIN deliveries d ON d.id = q.delivery_id
       WHERE d.status = 'pending' AND ${IS_UNHELD}
       FOR NO KEY UPDATE OF d SKIP LOCKED
     ), claimed AS (
       UPDATE delivery_queue q SET holder = 'relay', claimed_at = clock_timestamp(),
         lease_until = clock_timestamp() + ${START_LEASE}
       FROM delivery d WHERE q.delivery_id = d.id AND q.holder IS NULL RETURNING q.delivery_id
     ), decided AS (
       UPDATE deliveries d SET lane = 'workflow' FROM claimed c WHERE d.id = c.delivery_id AND d.lane IS NULL
     )
     SELECT ${START_COLUMNS}, NULL AS after_express
     FROM claimed c JOIN delivery d ON d.id = c.delivery_id JOIN endpoints e ON e.id = d.endpoint_id
     JOIN projects p ON p.id = d.project_id`;

/** Deliveries whose workflow makes an attempt now: first attempts of the workflow lane, and retries that wait for a slot. */
export function claimStarts(pool: pg.Pool, options: ClaimOptions): Promise<DueStart[]> {
  return claim<DueStart>(pool, options, {
    lane: 'workflow',
    lock: LOCK_FOR_WORKFLOWS,
    text: CLAIM_FOR_WORKFLOWS,
  });
}

const CLAIM_SLOTLESS = `WITH due AS MATERIALIZED (
       SELECT delivery_id FROM delivery_queue WHERE holder IS NULL AND NOT needs_slot
       ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED
     ), claimed AS (
       UPDATE delivery_queue q SET holder = 'relay', claimed_at = clock_timestamp(),
         lease_until = clock_timestamp() + ${START_LEASE}
       WHERE q.delivery_id = ANY (ARRAY(SELECT delivery_id FROM due)) RETURNING q.delivery_id
     )
     SELECT ${START_COLUMNS},
       CASE WHEN d.status = 'pending' AND d.next_attempt_at IS NOT NULL THEN json_build_object(
         'nextAttemptAt', floor(extract(epoch FROM d.next_attempt_at) * 1000), 'httpStatus', d.last_http_status,
         'error', d.last_error) END AS after_express
     FROM claimed c JOIN deliveries d ON d.id = c.delivery_id JOIN endpoints e ON e.id = d.endpoint_id
     JOIN projects p ON p.id = d.project_id`;

/**
 * Deliveries whose workflow has no attempt to make yet: those that ended elsewhere and whose workflow must show it, and
 * those whose first attempt the express lane has made without success.
 */
export function claimSlotless(pool: pg.Pool, limit: number): Promise<DueStart[]> {
  return byIndexes(pool, (db) => rows<DueStart>(db, 'claim_slotless', CLAIM_SLOTLESS, [limit]));
}

/** What an attempt needs to know about its delivery and endpoint. */
export interface ClaimedAttempt {
  project_id: string;
  endpoint_id: string;
  endpoint_version: number;
  concurrency: number;
  event_name: string;
  test: boolean;
  policy: RetryPolicyName;
  url: string;
  /** Newest first, as stored. */
  sealed_secrets: string[] | null;
  headers_sealed: string | null;
  body: string | null;
  scheduled_attempts: number;
  requested: boolean;
  first_attempt_at: number;
}

/**
 * A first attempt of the express lane. Its claim is committed before anything is dialled, and is the queue's row alone:
 * holder, time and lease. `deliveries` and `attempts` are written with its result, so that a success writes each once.
 */
export interface ExpressClaim extends ClaimedAttempt {
  id: string;
}

/** Follows the list of endpoints with their `room`. */
const BEGIN_EXPRESS = `candidate AS (
       SELECT next.delivery_id, next.project_id, next.priority, next.due_at FROM endpoint e CROSS JOIN LATERAL (
         SELECT q.delivery_id, q.project_id, q.priority, q.due_at FROM delivery_queue q
         WHERE q.endpoint_id = e.id AND ${WAITS_FIRST} AND ${IS_DIRECT} ORDER BY q.priority, q.due_at LIMIT e.room) next
     ), ${CHOSEN}, delivery AS MATERIALIZED (
       -- A locked row is being retried, cancelled or recorded. The delivery itself is written with the result.
       SELECT ${DELIVERY} FROM chosen c JOIN delivery_queue q ON q.delivery_id = c.delivery_id JOIN deliveries d ON d.id = q.delivery_id
       WHERE d.status = 'pending' AND ${IS_UNHELD} AND q.needs_slot AND q.is_first
       FOR NO KEY UPDATE OF q SKIP LOCKED
     ), claimed AS (
       UPDATE delivery_queue q SET holder = 'express', claimed_at = clock_timestamp(),
         lease_until = clock_timestamp() + ${ATTEMPT_LEASE}
       FROM delivery d WHERE q.delivery_id = d.id AND q.holder IS NULL RETURNING q.delivery_id, q.claimed_at
     ), receiver AS MATERIALIZED (
       SELECT e.id, e.version, e.concurrency, e.url, e.headers_sealed, (
         SELECT array_agg(s.sealed ORDER BY s.id DESC) FROM endpoint_secrets s
         WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())) AS sealed_secrets
       FROM endpoints e WHERE e.id IN (SELECT endpoint_id FROM delivery)
     )
     SELECT d.id, d.project_id, d.endpoint_id, e.version AS endpoint_version, e.concurrency, d.event_name, d.test, d.policy,
       e.url, e.headers_sealed, v.body, 0 AS scheduled_attempts, false AS requested,
       (extract(epoch FROM c.claimed_at) * 1000)::float8 AS first_attempt_at, e.sealed_secrets
     FROM claimed c JOIN delivery d ON d.id = c.delivery_id JOIN receiver e ON e.id = d.endpoint_id
     JOIN events v ON v.id = d.event_id`;

/** Attempts that a person requested belong to workflows; the express lane leaves them their slots. */
const CLAIM_FOR_EXPRESS = `WITH endpoint AS MATERIALIZED (
       SELECT e.id, e.delivery_lane, greatest(0, least($1, ${SLOTS} - ${inFlight('e.id')}
         - (SELECT count(*) FROM delivery_queue q WHERE q.endpoint_id = e.id AND ${WAITS_LATER} AND q.priority = 0))) AS room
       FROM endpoints e WHERE e.id = ANY (current_setting('${LOCKED}', true)::uuid[])
     ), ${BEGIN_EXPRESS}`;

export function claimExpress(pool: pg.Pool, options: ClaimOptions): Promise<ExpressClaim[]> {
  return claim<ExpressClaim>(pool, options, {
    lane: 'express',
    lock: LOCK_FOR_EXPRESS,
    text: CLAIM_FOR_EXPRESS,
  });
}

/** As many as were freed, unless a retry waits for a slot of the endpoint. */
const REFILL_EXPRESS = `WITH endpoint AS MATERIALIZED (
       SELECT e.id, e.delivery_lane,
         CASE WHEN EXISTS (SELECT 1 FROM delivery_queue q WHERE q.endpoint_id = e.id AND ${WAITS_LATER}) THEN 0
           ELSE greatest(0, least($1, freed.count, ${SLOTS} - ${inFlight('e.id')})) END AS room
       FROM unnest($4::uuid[], $5::int[]) AS freed (id, count) JOIN endpoints e ON e.id = freed.id
       WHERE e.status = 'active' AND e.deleted_at IS NULL
     ), ${BEGIN_EXPRESS}`;

/**
 * Refills slots in the transaction that frees them, so that a fast endpoint does not wait for the next claim. It needs no
 * lock: it takes no more slots than it frees, and until the commit every other process counts them as taken.
 */
export function refillExpress(
  db: Db,
  { defaultLane, isBehind = false }: Omit<ClaimOptions, 'limit'>,
  freed: ReadonlyMap<string, number>,
): Promise<ExpressClaim[]> {
  const counts = [...freed.values()];
  const limit = counts.reduce((sum, count) => sum + count, 0);
  const values = [limit, defaultLane, isBehind, [...freed.keys()], counts];
  return rows<ExpressClaim>(db, 'refill_express', REFILL_EXPRESS, values);
}
