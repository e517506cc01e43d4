import type pg from 'pg';
import { limits } from '../../contract/limits';
import { byIndexes, useIndexes } from '../../db/by-indexes';
import { withPipelinedTransaction, type Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import type { RetryPolicyName } from '../../projects/contract';
import type { DeliveryLane, LaneSetting } from '../contract';
import { inFlight, rowByIndexes } from './queue';

/*
 * The claim: which deliveries of the queue continue now, and in which lane. One READ COMMITTED transaction of two
 * statements, in one round trip. The first locks endpoints that have a waiting delivery and a free slot; the second, in a new snapshot,
 * counts what is in flight and claims. Slots are only taken under the endpoint's lock, so the count is exact.
 *
 * SKIP LOCKED, because another process that holds the lock is claiming for the same endpoint.
 */

/**
 * In the `auto` lane a delivery that has been claimable for this long is attempted without a workflow, and so are the others
 * of an endpoint for which a start takes this long.
 */
const AUTO_EXPRESS_AFTER_SECONDS = 2;

/** How long a claimed start may take before the delivery is claimed again. */
const START_LEASE = `interval '30 seconds'`;
/** Longer than an attempt can take. */
export const ATTEMPT_LEASE = `interval '20 seconds'`;

export interface ClaimOptions {
  /** Deliveries at most. */
  limit: number;
  /** The lane of endpoints that choose none. */
  defaultLane: LaneSetting;
}

const SLOTS = `least(e.concurrency, ${limits.webhookConcurrencyPerEndpoint})`;
const LANE = `coalesce(e.delivery_lane, $2)`;
const LATE = `clock_timestamp() - interval '${AUTO_EXPRESS_AFTER_SECONDS} seconds'`;
/** A claimed start of the endpoint has not led to an attempt in this time: its deliveries wait for Temporal. */
const START_IS_LATE = `EXISTS (SELECT 1 FROM delivery_queue f WHERE f.endpoint_id = e.id AND f.holder = 'relay'
    AND f.needs_slot AND f.claimed_at <= ${LATE})`;
/** Claimable means due, endpoint active and slot free: the time that the receiver kept its slots does not count. */
const hasWaited = (dueAt: string) => `(greatest(${dueAt}, e.full_at) <= ${LATE} OR ${START_IS_LATE})`;

/** Where the lane of a first attempt is decided. */
const takesFirst: Record<DeliveryLane, (dueAt: string) => string> = {
  workflow: (dueAt) => `(${LANE} = 'workflow' OR (${LANE} = 'auto' AND NOT (${hasWaited(dueAt)})))`,
  express: (dueAt) => `(${LANE} = 'express' OR (${LANE} = 'auto' AND ${hasWaited(dueAt)}))`,
};

/** Which deliveries of an endpoint a lane claims. Everything but a first attempt belongs to a workflow. */
function kindsOf(lane: DeliveryLane): { isFirst: boolean; condition: (dueAt: string) => string }[] {
  const first = { isFirst: true, condition: takesFirst[lane] };
  return lane === 'express' ? [first] : [{ isFirst: false, condition: () => 'true' }, first];
}

/**
 * As `q.holder IS NULL`, for a row that is found by its key: in words that match the condition of no index. A plan that was
 * made while the queue was short would otherwise walk through all that wait, once for each row that it claims.
 */
const IS_UNHELD = 'num_nulls(q.holder) = 1';

const waits = (isFirst: boolean) => `q.holder IS NULL AND q.needs_slot AND q.is_first = ${isFirst}`;

/** The first waiting delivery of each endpoint, by a loose index scan: a long queue of one endpoint costs one step. */
export function heads(name: string, isFirst: boolean): string {
  const columns = 'q.endpoint_id, q.priority, q.due_at';
  const order = `ORDER BY q.endpoint_id, q.priority, q.due_at LIMIT 1`;
  return `${name} AS (
       (SELECT ${columns} FROM delivery_queue q WHERE ${waits(isFirst)} ${order})
       UNION ALL
       SELECT n.endpoint_id, n.priority, n.due_at FROM ${name} h CROSS JOIN LATERAL (
         SELECT ${columns} FROM delivery_queue q WHERE ${waits(isFirst)} AND q.endpoint_id > h.endpoint_id ${order}) n
     )`;
}

/** Where the first statement leaves the endpoints that it has locked for the second, so that both share a round trip. */
const LOCKED = 'herald.locked_endpoints';

/**
 * An express claim need not reach the disk before its attempt. A server that crashes at this moment forgets the claim, and the
 * attempt is made again, like every attempt that is in flight in a crash.
 */
const WITHOUT_FLUSH = `set_config('synchronous_commit', 'off', true)`;

function lockEndpoints(lane: DeliveryLane): string {
  const kinds = kindsOf(lane).map((kind, index) => ({ ...kind, name: `head_${index}` }));
  const eligible = kinds.map(
    ({
      name,
      condition,
    }) => `SELECT h.endpoint_id, h.priority, h.due_at FROM ${name} h JOIN endpoints e ON e.id = h.endpoint_id
         WHERE ${condition('h.due_at')}`,
  );
  return `WITH RECURSIVE ${kinds.map(({ name, isFirst }) => heads(name, isFirst)).join(', ')}
     , locked AS (
       SELECT e.id FROM (
         SELECT endpoint_id, min(priority) AS priority, min(due_at) AS due_at FROM (
           ${eligible.join('\n           UNION ALL ')}) each_kind GROUP BY endpoint_id
       ) head JOIN endpoints e ON e.id = head.endpoint_id
       WHERE e.status = 'active' AND e.deleted_at IS NULL AND ${inFlight('e.id')} < ${SLOTS}
       ORDER BY head.priority, head.due_at LIMIT $1
       FOR NO KEY UPDATE OF e SKIP LOCKED
     )
     SELECT set_config('${LOCKED}', coalesce(array_agg(id)::text, '{}'), true)${lane === 'express' ? `, ${WITHOUT_FLUSH}` : ''}
     FROM locked`;
}

const lockTexts: Record<DeliveryLane, string> = {
  workflow: lockEndpoints('workflow'),
  express: lockEndpoints('express'),
};

/** Attempts that a person requested belong to workflows; the express lane leaves them their slots. */
function reserved(lane: DeliveryLane): string {
  if (lane === 'workflow') return '';
  return ` - (SELECT count(*) FROM delivery_queue q WHERE q.endpoint_id = e.id AND ${waits(false)} AND q.priority = 0)`;
}

/** The locked endpoints with their free slots. */
const lockedEndpoints = (lane: DeliveryLane) => `SELECT e.id, e.delivery_lane, e.full_at,
         ${SLOTS} - ${inFlight('e.id')}${reserved(lane)} AS free
       FROM endpoints e WHERE e.id = ANY (current_setting('${LOCKED}', true)::uuid[])`;

/** The claimed rows as `claimed`; projects take turns, events of broadcasts come last. */
function claimed(
  lane: DeliveryLane,
  {
    holder,
    lease,
    endpoints = lockedEndpoints(lane),
  }: { holder: 'relay' | 'express'; lease: string; endpoints?: string },
): string {
  const room = 'greatest(0, least(e.free, $1))';
  const sources = kindsOf(lane).map(
    ({ isFirst, condition }) => `(SELECT q.delivery_id, q.project_id, q.priority, q.due_at
           FROM delivery_queue q WHERE q.endpoint_id = e.id AND ${waits(isFirst)} AND ${condition('q.due_at')}
           ORDER BY q.priority, q.due_at LIMIT ${room})`,
  );
  return `WITH endpoint AS MATERIALIZED (
       ${endpoints}
     ), candidate AS (
       SELECT next.delivery_id, next.project_id, next.priority, next.due_at FROM endpoint e CROSS JOIN LATERAL (
         SELECT q.delivery_id, q.project_id, q.priority, q.due_at FROM (${sources.join('\n         UNION ALL ')}) q
         ORDER BY q.priority, q.due_at LIMIT ${room}) next
     ), chosen AS (
       SELECT delivery_id FROM (
         SELECT delivery_id, priority, due_at,
           row_number() OVER (PARTITION BY project_id ORDER BY priority, due_at) AS turn
         FROM candidate) in_turn
       ORDER BY priority = 2, turn, priority, due_at LIMIT $1
     ), delivery AS MATERIALIZED (
       -- What is locked is being retried, cancelled or recorded. The workflow lane changes the delivery, whose lock comes before
       -- that of its row in the queue, as everywhere.
       SELECT d.id, d.project_id, d.endpoint_id, d.event_id, d.event_name, d.test, d.policy, d.status, d.attempts, d.started,
         d.round, d.served
       FROM chosen c JOIN delivery_queue q ON q.delivery_id = c.delivery_id JOIN deliveries d ON d.id = q.delivery_id
       WHERE d.status = 'pending' AND ${IS_UNHELD} ${lane === 'express' ? 'AND q.needs_slot AND q.is_first' : ''}
       FOR NO KEY UPDATE OF ${lane === 'express' ? 'q' : 'd'} SKIP LOCKED
     ), claimed AS (
       UPDATE delivery_queue q SET holder = '${holder}', claimed_at = clock_timestamp(),
         lease_until = clock_timestamp() + ${lease}
       FROM delivery d WHERE q.delivery_id = d.id AND q.holder IS NULL RETURNING q.delivery_id, q.claimed_at
     )`;
}

async function claim<Claim extends pg.QueryResultRow>(
  pool: pg.Pool,
  { limit, defaultLane }: ClaimOptions,
  { lane, text }: { lane: DeliveryLane; text: string },
): Promise<Claim[]> {
  const [, , claimed] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      useIndexes(db),
      row(db, `lock_endpoints_${lane}`, lockTexts[lane], [limit, defaultLane]),
      rows<Claim>(db, `claim_${lane}`, text, [limit, defaultLane]),
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

const claimStartsText = `${claimed('workflow', { holder: 'relay', lease: START_LEASE })}, decided AS (
       UPDATE deliveries d SET lane = 'workflow' FROM claimed c WHERE d.id = c.delivery_id AND d.lane IS NULL
     )
     SELECT ${START_COLUMNS}, NULL AS after_express
     FROM claimed c JOIN delivery d ON d.id = c.delivery_id JOIN endpoints e ON e.id = d.endpoint_id
     JOIN projects p ON p.id = d.project_id`;

/** Deliveries whose workflow makes an attempt now: first attempts of the workflow lane, and retries that wait for a slot. */
export function claimStarts(pool: pg.Pool, options: ClaimOptions): Promise<DueStart[]> {
  return claim<DueStart>(pool, options, { lane: 'workflow', text: claimStartsText });
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

const beginExpress = (endpoints?: string) => `${claimed('express', {
  holder: 'express',
  lease: ATTEMPT_LEASE,
  ...(endpoints ? { endpoints } : {}),
})}, receiver AS MATERIALIZED (
       SELECT e.id, e.version, e.concurrency, e.url, e.headers_sealed, (
         SELECT array_agg(s.sealed ORDER BY s.id DESC) FROM endpoint_secrets s
         WHERE s.endpoint_id = e.id AND (s.expires_at IS NULL OR s.expires_at > now())) AS sealed_secrets
       FROM endpoints e WHERE e.id IN (SELECT endpoint_id FROM delivery)
     )
     SELECT d.id, d.project_id, d.endpoint_id, e.version AS endpoint_version, e.concurrency, d.event_name, d.test, d.policy,
       e.url, e.headers_sealed,
       v.body, 0 AS scheduled_attempts, false AS requested,
       (extract(epoch FROM c.claimed_at) * 1000)::float8 AS first_attempt_at, e.sealed_secrets
     FROM claimed c JOIN delivery d ON d.id = c.delivery_id JOIN receiver e ON e.id = d.endpoint_id
     JOIN events v ON v.id = d.event_id`;

const claimExpressText = beginExpress();

export function claimExpress(pool: pg.Pool, options: ClaimOptions): Promise<ExpressClaim[]> {
  return claim<ExpressClaim>(pool, options, { lane: 'express', text: claimExpressText });
}

/** As many as were freed, unless a retry waits for a slot of the endpoint. */
const refillExpressText = beginExpress(`SELECT e.id, e.delivery_lane, e.full_at,
         CASE WHEN EXISTS (SELECT 1 FROM delivery_queue q WHERE q.endpoint_id = e.id AND ${waits(false)}) THEN 0
           ELSE least(freed.count, ${SLOTS} - ${inFlight('e.id')}) END AS free
       FROM unnest($3::uuid[], $4::int[]) AS freed (id, count) JOIN endpoints e ON e.id = freed.id
       WHERE e.status = 'active' AND e.deleted_at IS NULL`);

/**
 * Refills slots in the transaction that frees them, so that a fast endpoint does not wait for the next claim. It needs no
 * lock: it takes no more slots than it frees, and until the commit every other process counts them as taken.
 */
export function refillExpress(
  db: Db,
  defaultLane: LaneSetting,
  freed: Map<string, number>,
): Promise<ExpressClaim[]> {
  const counts = [...freed.values()];
  const limit = counts.reduce((sum, count) => sum + count, 0);
  return rows<ExpressClaim>(db, 'refill_express', refillExpressText, [
    limit,
    defaultLane,
    [...freed.keys()],
    counts,
  ]);
}

/** Slots that an attempt has held for at least `age`, without those that a relay has claimed for a start. */
const attemptsInFlight = (age: string) => `(SELECT count(*) FROM delivery_queue f WHERE f.endpoint_id = e.id
         AND f.holder IN ('workflow', 'express') AND f.lease_until > clock_timestamp()
         AND f.claimed_at <= clock_timestamp() - interval '${age}')`;

const NOTE_FULL_ENDPOINTS = `WITH RECURSIVE ${heads('first', true)}, ${heads('later', false)}
     UPDATE endpoints e SET full_at = clock_timestamp()
     WHERE e.id IN (SELECT endpoint_id FROM first UNION SELECT endpoint_id FROM later)
       AND ${attemptsInFlight('1 second')} >= ${SLOTS}`;

/**
 * Notes endpoints whose waiting deliveries wait for the receiver: every slot is taken by an attempt of more than a
 * second. Run once a second; `auto` and the lag metric read it.
 */
export function noteFullEndpoints(pool: pg.Pool): Promise<number> {
  return byIndexes(pool, (db) => change(db, 'note_full_endpoints', NOTE_FULL_ENDPOINTS));
}

/**
 * Age in seconds of the oldest delivery that waits for a relay: one that could be claimed now, or one whose claimed start
 * has not led to an attempt. What waits for its receiver is not late.
 */
export async function claimableLag(pool: pg.Pool): Promise<number> {
  const found = await rowByIndexes<{ lag: number | null }>(
    pool,
    'claimable_lag',
    `WITH RECURSIVE ${heads('first', true)}, ${heads('later', false)}
     SELECT max(extract(epoch FROM clock_timestamp() - greatest(h.due_at, e.full_at)))::float8 AS lag
     FROM (SELECT endpoint_id, due_at FROM first UNION ALL SELECT endpoint_id, due_at FROM later
           UNION ALL SELECT endpoint_id, due_at FROM delivery_queue WHERE holder = 'relay' AND needs_slot) h
     JOIN endpoints e ON e.id = h.endpoint_id
     WHERE e.status = 'active' AND e.deleted_at IS NULL AND ${attemptsInFlight('0 seconds')} < ${SLOTS}`,
  );
  return Math.max(0, found?.lag ?? 0);
}

/** Whether first attempts wait for Herald: of an endpoint that has a free slot, or whose attempts take less than a second. */
export async function firstAttemptsWait(pool: pg.Pool): Promise<boolean> {
  const found = await rowByIndexes<{ waits: boolean }>(
    pool,
    'first_attempts_wait',
    `WITH RECURSIVE ${heads('first', true)}
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
    `SELECT json_object_agg(e.id,
       greatest(0, floor(extract(epoch FROM clock_timestamp() - greatest(w.due_at, e.full_at))))) AS waiting
     FROM endpoints e CROSS JOIN LATERAL (
       SELECT q.due_at FROM delivery_queue q WHERE ${waits(true)} AND q.endpoint_id = e.id
       ORDER BY q.priority, q.due_at LIMIT 1) w
     WHERE e.id = ANY ($1::uuid[]) AND e.status = 'active' AND e.deleted_at IS NULL
       AND ${attemptsInFlight('0 seconds')} < ${SLOTS}`,
    [endpointIds],
  );
  return new Map(Object.entries(found?.waiting ?? {}));
}
