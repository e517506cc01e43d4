import type pg from 'pg';
import { limits } from '../contracts/limits';
import { withTransaction, type Db } from './pool';
import { change, row, rows } from './query';

/** How long a claimed start may take before another process tries it. */
const LEASE = `interval '30 seconds'`;

/** Any fixed number. */
const CLAIM_LOCK = 4_837_202;

/** Claims of several relays happen one after another, so that slots are counted exactly. */
export async function claimLock(db: Db): Promise<void> {
  await row(db, 'lock_starts', 'SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
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

/**
 * Claims what is due: what needs no slot, and pending deliveries of active endpoints, as far as the endpoints have free
 * slots, projects in turn, bulk events last. Whoever asks alternates which of the two comes first, so that a flood of
 * the one cannot keep the other waiting, however little room there is.
 */
export function claimStarts(
  pool: pg.Pool,
  limit: number,
  { allowances = NO_LIMITS, slotlessFirst = true }: { allowances?: Allowances; slotlessFirst?: boolean } = {},
): Promise<DueStart[]> {
  return withTransaction(pool, async (db) => {
    await claimLock(db);
    const slotless = (room: number) => claimSlotless(db, room);
    const pending = (room: number) => claimPending(db, room, allowances);
    const [first, second] = slotlessFirst ? [slotless, pending] : [pending, slotless];
    const claimed = await first(limit);
    return claimed.length === limit ? claimed : [...claimed, ...(await second(limit - claimed.length))];
  });
}

/**
 * Where nothing is sent, no slot is needed: ended deliveries whose workflow must still be told, or started to show the
 * end in the UI; and those that the express lane has handed over, whose next attempt has its time.
 */
function claimSlotless(db: Db, limit: number): Promise<DueStart[]> {
  return rows<DueStart>(
    db,
    'claim_slotless',
    `UPDATE deliveries d SET start_at = now() + ${LEASE}
     WHERE id IN (
       (SELECT id FROM deliveries WHERE status IN ('cancelled', 'failed') AND start_at <= now()
        ORDER BY start_at LIMIT $1)
       UNION ALL
       (SELECT h.id FROM deliveries h JOIN endpoints e ON e.id = h.endpoint_id AND e.status = 'active' AND e.deleted_at IS NULL
        WHERE h.lane = 'express' AND h.attempts = 1 AND h.status = 'pending' AND h.start_at <= now()
          AND h.next_attempt_at > now() AND h.round <= h.served
        ORDER BY h.next_attempt_at LIMIT $1)
       LIMIT $1)
     RETURNING ${RETURNING}`,
    [limit],
  );
}

/**
 * The endpoints with deliveries that wait, as `waiting`. The recursion hops from endpoint to endpoint through the index:
 * a long queue of one costs the others nothing.
 */
export function waitingEndpoints(condition = ''): string {
  const waits = `d.status = 'pending' AND d.start_at IS NOT NULL ${condition}`;
  return `WITH RECURSIVE waiting AS (
       (SELECT d.endpoint_id FROM deliveries d WHERE ${waits} ORDER BY d.endpoint_id LIMIT 1)
       UNION ALL
       SELECT (SELECT d.endpoint_id FROM deliveries d WHERE ${waits} AND d.endpoint_id > w.endpoint_id
               ORDER BY d.endpoint_id LIMIT 1)
       FROM waiting w WHERE w.endpoint_id IS NOT NULL
     )`;
}

/**
 * The deliveries that are due, as `chosen`: of active endpoints, as far as those have free slots, projects in turn,
 * bulk events last. `$1` is how many, `$2` and `$3` are the allowances.
 */
export function dueDeliveries(condition: string): string {
  return `${waitingEndpoints()}, candidate AS (
       SELECT d.*
       FROM waiting w JOIN endpoints e ON e.id = w.endpoint_id AND e.status = 'active' AND e.deleted_at IS NULL
       CROSS JOIN LATERAL (
         SELECT q.id, q.project_id, q.bulk, q.start_at FROM deliveries q
         WHERE q.endpoint_id = e.id AND q.status = 'pending' AND q.start_at <= now() AND ${condition}
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

/** First attempts of the express lane are not the workflows' business. */
const OF_WORKFLOWS = `NOT (q.lane = 'express' AND q.attempts = 0 AND q.round <= q.served)`;

function claimPending(db: Db, limit: number, { ids, counts }: Allowances): Promise<DueStart[]> {
  return rows<DueStart>(
    db,
    'claim_starts',
    `${dueDeliveries(OF_WORKFLOWS)}
     UPDATE deliveries d SET start_at = now() + ${LEASE}, slot_until = now() + ${LEASE}
     FROM chosen WHERE d.id = chosen.id AND d.status = 'pending' AND d.start_at <= now()
     RETURNING ${RETURNING}`,
    [limit, ids, counts],
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
