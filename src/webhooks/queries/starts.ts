import type pg from 'pg';
import { limits } from '../../contract/limits';
import type { DeliveryLane } from '../contract';
import { withPipelinedTransaction, type Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';

/** How long a claimed start may take before another process tries it. */
const LEASE = `interval '30 seconds'`;

/** Any fixed number. */
export const CLAIM_LOCK = 4_837_202;

/**
 * A claim is planned once, and not again whenever PostgreSQL has looked at tables that fill and empty within seconds: that
 * took longer than the claim. But what is planned while they are empty is wrong once they are not, so the first ones are
 * planned each time.
 */
const PLANNED_EACH_TIME = 1_000;
const claimsMade = new WeakMap<pg.Pool, number>();

/**
 * Claims of slots happen one after another, so that slots are counted exactly. The lock is everybody's: it is asked for
 * in the same breath as the claim, and never held while a process of ours is thinking.
 */
export async function claimSlots<Claim extends pg.QueryResultRow>(
  pool: pg.Pool,
  name: string,
  text: string,
  values: readonly unknown[],
): Promise<Claim[]> {
  const made = claimsMade.get(pool) ?? 0;
  const mode = made < PLANNED_EACH_TIME ? 'force_custom_plan' : 'force_generic_plan';
  const [, , claims] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([
      db.query(`SET LOCAL plan_cache_mode = ${mode}`),
      row(db, 'lock_starts', 'SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]),
      rows<Claim>(db, name, text, values),
    ]),
  );
  claimsMade.set(pool, made + claims.length);
  return claims;
}

/** What the relay needs to start or wake a workflow: the row's state, nothing remembered. */
export interface DueStart {
  id: string;
  project_id: string;
  endpoint_id: string;
  event_id: string;
  event_name: string;
  status: 'pending' | 'cancelled' | 'failed';
  attempts: number;
  /** It may have a workflow already, or had one: it must be told, or started again. */
  known: boolean;
  /** It holds a slot of its endpoint: an attempt is about to begin. */
  has_slot: boolean;
  /** Handed over by the express lane: when the next attempt has its time, and how the first one went. */
  handed_over: { nextAttemptAt: number; httpStatus: number | null; error: string | null } | null;
  /** The lease in the database's own precision, which a Date cannot hold. */
  lease: string;
}

const RETURNING = `d.id, d.project_id, d.endpoint_id, d.event_id, d.event_name, d.status, d.attempts,
  d.started OR d.round > 0 AS known, d.slot_until IS NOT NULL AS has_slot, d.start_at::text AS lease,
  CASE WHEN d.status = 'pending' AND d.slot_until IS NULL THEN json_build_object(
    'nextAttemptAt', floor(extract(epoch FROM d.next_attempt_at) * 1000), 'httpStatus', d.last_http_status,
    'error', d.last_error) END AS handed_over`;

/** Endpoints that get fewer than they have slots for, and how many each. */
export interface Allowances {
  ids: string[];
  counts: number[];
}

const NO_LIMITS: Allowances = { ids: [], counts: [] };

/** The endpoints that get nothing at all. */
function heldBack({ ids, counts }: Allowances): string[] {
  return ids.filter((_, index) => counts[index] === 0);
}

/** A first attempt of the express lane: not the workflows' business. */
const expressFirst = (table: string) =>
  `${table}.lane = 'express' AND ${table}.attempts = 0 AND ${table}.round <= ${table}.served`;

/** Handed over by the express lane, and its next attempt has its time. */
const handedOver = (table: string) =>
  `${table}.lane = 'express' AND ${table}.attempts = 1 AND ${table}.round <= ${table}.served
         AND ${table}.next_attempt_at > now()`;

/** Which of the deliveries that wait need a slot to go on in a lane. */
const needsSlot: Record<DeliveryLane, (table: string) => string> = {
  express: expressFirst,
  // What has no time yet was not handed over: its attempt is under way, or was.
  workflow: (table) => `NOT (${expressFirst(table)}) AND (${handedOver(table)}) IS NOT TRUE`,
};

/**
 * Claims what is due: what needs no slot, and pending deliveries of active endpoints, as far as the endpoints have free
 * slots, projects in turn, bulk events last. Whoever asks alternates which of the two comes first, so that a flood of
 * the one cannot keep the other waiting, however little room there is.
 */
export async function claimStarts(
  pool: pg.Pool,
  limit: number,
  { allowances = NO_LIMITS, slotlessFirst = true }: { allowances?: Allowances; slotlessFirst?: boolean } = {},
): Promise<DueStart[]> {
  const slotless = (room: number) => claimSlotless(pool, room);
  const pending = (room: number) => claimPending(pool, room, allowances);
  const [first, second] = slotlessFirst ? [slotless, pending] : [pending, slotless];
  const claimed = await first(limit);
  return claimed.length === limit ? claimed : [...claimed, ...(await second(limit - claimed.length))];
}

/**
 * Where nothing is sent, no slot is needed: ended deliveries whose workflow must still be told, or started to show the
 * end in the UI; and those that the express lane has handed over, whose next attempt has its time.
 */
function claimSlotless(db: Db, limit: number): Promise<DueStart[]> {
  return rows<DueStart>(
    db,
    'claim_slotless',
    `WITH ended AS MATERIALIZED (
       SELECT id FROM deliveries WHERE status IN ('cancelled', 'failed') AND start_at <= now()
       ORDER BY start_at LIMIT $1 FOR UPDATE SKIP LOCKED
     ), handed_over AS MATERIALIZED (
       SELECT h.id FROM deliveries h JOIN endpoints e ON e.id = h.endpoint_id AND e.status = 'active' AND e.deleted_at IS NULL
       WHERE h.status = 'pending' AND h.start_at <= now() AND ${handedOver('h')}
       ORDER BY h.next_attempt_at LIMIT $1 FOR UPDATE OF h SKIP LOCKED
     )
     UPDATE deliveries d SET start_at = now() + ${LEASE}
     WHERE id IN (SELECT id FROM ended UNION ALL SELECT id FROM handed_over LIMIT $1)
     RETURNING ${RETURNING}`,
    [limit],
  );
}

/**
 * The endpoints with deliveries `d` that wait, as `waiting`. The recursion hops from endpoint to endpoint through the index:
 * a long queue of one costs the others nothing.
 */
export function waitingEndpoints(condition: string): string {
  const waits = `d.status = 'pending' AND ${condition}`;
  return `WITH RECURSIVE waiting AS (
       (SELECT d.endpoint_id FROM deliveries d WHERE ${waits} ORDER BY d.endpoint_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.endpoint_id FROM deliveries d WHERE ${waits} AND d.endpoint_id > w.endpoint_id
               ORDER BY d.endpoint_id LIMIT 1)
       FROM waiting w WHERE w.endpoint_id IS NOT NULL
     )`;
}

function waitingForSlots(lane: DeliveryLane): string {
  return waitingEndpoints(`d.start_at <= now() AND ${needsSlot[lane]('d')}`);
}

/** Whether anything waits for a slot in the lane but what is held back: asked without the lock, and mostly answered with no. */
export async function doesLaneWait(db: Db, lane: DeliveryLane, allowances: Allowances): Promise<boolean> {
  const waiting = await row(
    db,
    `${lane}_waits`,
    `${waitingForSlots(lane)}
     SELECT 1 FROM waiting w JOIN endpoints e ON e.id = w.endpoint_id
     WHERE e.status = 'active' AND e.deleted_at IS NULL AND e.id <> ALL ($1::uuid[]) LIMIT 1`,
    [heldBack(allowances)],
  );
  return waiting !== null;
}

/**
 * The deliveries of a lane that are due, as `chosen`: of active endpoints, as far as those have free slots, projects in
 * turn, bulk events last. Its values are those of `dueValues`.
 */
export function dueDeliveries(lane: DeliveryLane): string {
  return `${waitingForSlots(lane)}, candidate AS (
       SELECT d.*
       FROM waiting w JOIN endpoints e ON e.id = w.endpoint_id AND e.status = 'active' AND e.deleted_at IS NULL
         AND e.id <> ALL ($4::uuid[])
       CROSS JOIN LATERAL (
         SELECT q.id, q.project_id, q.bulk, q.start_at FROM deliveries q
         WHERE q.endpoint_id = e.id AND q.status = 'pending' AND q.start_at <= now() AND ${needsSlot[lane]('q')}
         ORDER BY q.bulk, q.start_at
         LIMIT greatest(0, least($1, ${limits.webhookConcurrencyPerEndpoint} - (
           SELECT count(*) FROM deliveries o WHERE o.endpoint_id = e.id AND o.slot_until > now()),
           (SELECT a.count FROM unnest($2::uuid[], $3::int[]) AS a (id, count) WHERE a.id = e.id)))
       ) d
     ), chosen AS (
       SELECT id FROM (
         SELECT id, bulk, start_at, row_number() OVER (PARTITION BY project_id ORDER BY bulk, start_at) AS turn
         FROM candidate) in_turn
       ORDER BY bulk, turn, start_at LIMIT $1
     )`;
}

export function dueValues(limit: number, allowances: Allowances): unknown[] {
  return [limit, allowances.ids, allowances.counts, heldBack(allowances)];
}

async function claimPending(pool: pg.Pool, limit: number, allowances: Allowances): Promise<DueStart[]> {
  if (!(await doesLaneWait(pool, 'workflow', allowances))) return [];
  return claimSlots<DueStart>(
    pool,
    'claim_starts',
    `${dueDeliveries('workflow')}
     UPDATE deliveries d SET start_at = now() + ${LEASE}, slot_until = now() + ${LEASE}
     FROM chosen WHERE d.id = chosen.id AND d.status = 'pending' AND d.start_at <= now()
     RETURNING ${RETURNING}`,
    dueValues(limit, allowances),
  );
}

/** The workflow is there. A retry that came meanwhile has moved start_at, and stays due. */
export function markStarted(db: Db, start: Pick<DueStart, 'id' | 'lease'>): Promise<number> {
  return change(
    db,
    'mark_started',
    `UPDATE deliveries SET started = true, start_at = CASE WHEN start_at = $2::timestamptz THEN NULL ELSE start_at END
     WHERE id = $1 AND (NOT started OR start_at IS NOT NULL)`,
    [start.id, start.lease],
  );
}

/** Rows that should have moved two minutes ago, oldest first; asking again about each waits another two minutes. */
export function claimOverdue(db: Db, limit: number): Promise<{ id: string }[]> {
  return rows<{ id: string }>(
    db,
    'claim_overdue',
    `UPDATE deliveries SET overdue_at = now() + interval '2 minutes'
     WHERE id IN (SELECT id FROM deliveries WHERE status = 'pending' AND start_at IS NULL AND overdue_at <= now()
                  ORDER BY overdue_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [limit],
  );
}

/** Puts a row without a workflow back into the relay's queue. */
export function restartDelivery(db: Db, id: string): Promise<number> {
  return change(
    db,
    'restart_delivery',
    `UPDATE deliveries SET start_at = now(), started = true WHERE id = $1 AND status = 'pending' AND start_at IS NULL`,
    [id],
  );
}
