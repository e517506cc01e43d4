import type pg from 'pg';
import type { Cursor } from '../../../base/contract/cursor';
import type { CancelReason, DeliveryLane, DeliveryStatus } from '../contract';
import { useIndexes } from '../../../base/db/by-indexes';
import { BATCH_ROWS } from '../../../base/db/batches';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { EmittedEvent } from '../../events';
import { wakeLane } from '../wake-lanes';
import { enqueue, FIRST_IN_FLIGHT, ORDINARY, rowByIndexes } from './queue';

/** A delivery as the log shows it; `paused` is computed here and nowhere else. */
export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_name: string;
  status: DeliveryStatus;
  /** Null until a claim has decided. */
  lane: DeliveryLane | null;
  test: boolean;
  endpoint_url: string;
  /** It has, or had, a workflow. */
  started: boolean;
  failure: 'exhausted' | 'refused' | null;
  cancel_reason: CancelReason | null;
  attempts: number;
  last_http_status: number | null;
  last_error: string | null;
  created_at: Date;
  first_attempt_at: Date | null;
  next_attempt_at: Date | null;
  ended_at: Date | null;
}

export const STATUS = `CASE WHEN d.status = 'pending' AND e.status = 'disabled' THEN 'paused' ELSE d.status END`;

/** Of a delivery `d`, its endpoint `e` and `IN_FLIGHT`. */
export const COLUMNS = `d.id, d.endpoint_id, d.event_id, d.event_name, ${STATUS} AS status, d.test, e.url AS endpoint_url,
  CASE WHEN f.delivery_id IS NULL THEN d.lane ELSE 'express' END AS lane, d.started, d.failure, d.cancel_reason,
  CASE WHEN f.delivery_id IS NULL THEN d.attempts ELSE 1 END AS attempts, d.last_http_status, d.last_error, d.created_at,
  coalesce(d.first_attempt_at, f.claimed_at) AS first_attempt_at,
  CASE WHEN f.delivery_id IS NULL THEN d.next_attempt_at END AS next_attempt_at, d.ended_at`;
export const IN_FLIGHT = `LEFT JOIN delivery_queue f ON ${FIRST_IN_FLIGHT}`;

export interface DeliveryFilter {
  event?: string | undefined;
  since?: string | undefined;
  before: Cursor | null;
  limit: number;
  /** Where the page ends at the latest. */
  scanEnd?: Cursor | null;
}

/**
 * SQL: the pending deliveries of an endpoint, each once, as `id` and `created_at`. Those that wait for their first attempt are
 * due since they were created. Two reads of the queue, one for each of its indexes. With `limit`, each read ends there.
 */
export function pendingOf(endpoint: string, limit?: string): string {
  const end = limit === undefined ? '' : ` LIMIT ${limit}`;
  return `
       (SELECT u.delivery_id AS id, u.created_at FROM undelivered u
         WHERE u.endpoint_id = ${endpoint} AND u.status = 'pending'${end})
       UNION (SELECT q.delivery_id, q.due_at FROM delivery_queue q
         WHERE q.endpoint_id = ${endpoint} AND q.is_first AND q.holder IS NULL AND q.needs_slot${end})
       UNION (SELECT q.delivery_id, q.due_at FROM delivery_queue q
         WHERE q.endpoint_id = ${endpoint} AND q.is_first AND q.holder IS NOT NULL${end})`;
}

/** Deliveries of any status. One row more than the limit, which tells whether there is another page. */
export function listDeliveries(
  db: Db,
  endpointId: string,
  filter: DeliveryFilter,
): Promise<(DeliveryRow & { cursor_at: string })[]> {
  return rows<DeliveryRow & { cursor_at: string }>(
    db,
    'list_deliveries',
    `SELECT ${COLUMNS}, ${cursorTime('d.created_at')} AS cursor_at
     FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id ${IN_FLIGHT}
     WHERE d.endpoint_id = $1
       AND ($2::text IS NULL OR d.event_name = $2)
       AND d.created_at >= coalesce($3::timestamptz, '-infinity')
       AND (d.created_at, d.id) < (coalesce($4::timestamptz, 'infinity'), coalesce($5::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       AND (d.created_at, d.id) >= (coalesce($7::timestamptz, '-infinity'), coalesce($8::uuid, '00000000-0000-0000-0000-000000000000'))
     ORDER BY d.created_at DESC, d.id DESC LIMIT $6`,
    [
      endpointId,
      filter.event ?? null,
      filter.since ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
      filter.scanEnd?.at ?? null,
      filter.scanEnd?.id ?? null,
    ],
  );
}

export function findDelivery(
  db: Db,
  projectId: string,
  id: string,
): Promise<(DeliveryRow & { body: string }) | null> {
  return row<DeliveryRow & { body: string }>(
    db,
    'find_delivery',
    `SELECT ${COLUMNS}, v.body
     FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id JOIN events v ON v.id = d.event_id
       ${IN_FLIGHT}
     WHERE d.id = $2 AND d.project_id = $1`,
    [projectId, id],
  );
}

/** An event that was emitted before, for a request that is resumed. */
export function findEmitted(db: Db, projectId: string, id: string): Promise<EmittedEvent | null> {
  return row(
    db,
    'find_emitted_event',
    `SELECT e.id, (SELECT count(*)::int FROM deliveries d WHERE d.event_id = e.id) AS deliveries
     FROM events e WHERE e.id = $2 AND e.project_id = $1`,
    [projectId, id],
  );
}

export interface LockedDelivery {
  status: DeliveryStatus;
  endpoint_disabled: boolean;
  endpoint_deleted: boolean;
}

export function lockDelivery(db: Db, projectId: string, id: string): Promise<LockedDelivery | null> {
  return row<LockedDelivery>(
    db,
    'lock_delivery',
    `SELECT ${STATUS} AS status, e.deleted_at IS NOT NULL AS endpoint_deleted,
       e.status = 'disabled' AS endpoint_disabled
     FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
     WHERE d.id = $2 AND d.project_id = $1 FOR UPDATE OF d`,
    [projectId, id],
  );
}

/** In id order, like every statement that locks several rows. */
export function lockDeliveries(
  db: Db,
  projectId: string,
  ids: string[],
): Promise<(LockedDelivery & { id: string })[]> {
  return rows<LockedDelivery & { id: string }>(
    db,
    'lock_deliveries',
    `SELECT d.id, ${STATUS} AS status, e.deleted_at IS NOT NULL AS endpoint_deleted,
       e.status = 'disabled' AS endpoint_disabled
     FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
     WHERE d.id = ANY ($2::uuid[]) AND d.project_id = $1 ORDER BY d.id FOR UPDATE OF d`,
    [projectId, ids],
  );
}

/*
 * Statements that change many deliveries find rows by an array of keys, and count instead of asking with EXISTS: a join that
 * is planned while a table is empty may later read all of it for each row.
 */

/** One more attempt, now. While a delivery is queued it is not overdue. */
const REQUEST_ATTEMPT = `round = d.round + 1, status = 'pending', failure = NULL, ended_at = NULL, next_attempt_at = now(),
  overdue_at = 'infinity'`;

/** Columns that `enqueue` reads. */
const QUEUED = `d.id, d.endpoint_id, d.project_id, d.attempts, d.started, d.round, d.served, d.bulk, d.created_at,
  d.next_attempt_at`;

/** Requests one attempt of each delivery, which are locked; those that this request has retried before stay as they are. */
export async function requestRetries(db: Db, ids: string[], requestId: string): Promise<void> {
  await change(
    db,
    'request_retries',
    `WITH fresh AS (
       INSERT INTO delivery_retries (delivery_id, request_id)
       SELECT id, $2::uuid FROM unnest($1::uuid[]) AS given (id) ORDER BY id
       ON CONFLICT DO NOTHING RETURNING delivery_id
     ), requested AS (
       UPDATE deliveries d SET ${REQUEST_ATTEMPT} FROM fresh WHERE d.id = fresh.delivery_id RETURNING ${QUEUED}
     )
     ${enqueue('requested', { priority: '0', dueAt: 'now()' })}`,
    [ids, requestId],
  );
  wakeLane(db, 'workflow');
}

/** The workflow of an endpoint that is gone with its project finds that out by itself. */
const SIGNALLED = `(d.started AND EXISTS (SELECT 1 FROM endpoints e WHERE e.id = d.endpoint_id))`;

/**
 * Cancels what `chosen` names, for a reason in SQL. A delivery that has a workflow stays queued, without an attempt,
 * until its workflow has been signalled; one whose attempt is in flight ends when the attempt does.
 */
const cancel = (reason: string) => `cancelled AS (
       UPDATE deliveries d SET status = 'cancelled', cancel_reason = ${reason}, ended_at = now(), next_attempt_at = NULL,
         served = d.round
       WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) AND d.status = 'pending' RETURNING ${QUEUED}
     ), signalled AS (
       ${enqueue(`(SELECT ${QUEUED} FROM cancelled d WHERE ${SIGNALLED})`, { priority: '1', dueAt: 'now()', needsSlot: 'false' })}
     ), dequeued AS (
       DELETE FROM delivery_queue q
       WHERE q.delivery_id = ANY (ARRAY(SELECT d.id FROM cancelled d WHERE NOT ${SIGNALLED})) AND q.holder IS NULL
     )
     SELECT (SELECT count(*)::int FROM chosen) AS found, (SELECT count(*)::int FROM cancelled) AS count`;

/** Ends a pending delivery; the relay signals its workflow, if it has one. */
export async function cancelDelivery(db: Db, id: string): Promise<void> {
  await row(
    db,
    'cancel_delivery',
    `WITH chosen AS (SELECT id FROM deliveries WHERE id = $1 FOR UPDATE), ${cancel('NULL')}`,
    [id],
  );
  wakeLane(db, 'workflow');
}

/** Cancels `BATCH_ROWS` pending deliveries of an endpoint at most, in a transaction. Returns whether there may be more. */
export async function cancelDeliveriesOf(db: Db, endpointId: string): Promise<boolean> {
  await useIndexes(db);
  const batch = await row<{ found: number }>(
    db,
    'cancel_deliveries_of',
    `WITH chosen AS (
       SELECT id FROM deliveries WHERE id = ANY (ARRAY(SELECT DISTINCT p.id FROM (${pendingOf('$1', '$2')}) p LIMIT $2))
       ORDER BY id FOR UPDATE
     ), ${cancel(`'endpoint_removed'`)}`,
    [endpointId, BATCH_ROWS],
  );
  if (batch?.found) wakeLane(db, 'workflow');
  return batch?.found === BATCH_ROWS;
}

/**
 * Cancels deliveries that were paused for `days`, and those of endpoints that were deleted or are gone with their project, at
 * most `limit`. Returns how many.
 */
export async function cancelAbandoned(db: Db, days: number, limit: number): Promise<number> {
  const done = await row<{ count: number }>(
    db,
    'cancel_abandoned',
    `WITH abandoned AS MATERIALIZED (
       SELECT d.id FROM (
         SELECT delivery_id AS id, endpoint_id, created_at FROM undelivered WHERE status = 'pending'
         UNION ALL SELECT delivery_id, endpoint_id, due_at FROM delivery_queue WHERE is_first
       ) d LEFT JOIN endpoints e ON e.id = d.endpoint_id
       WHERE e.id IS NULL OR e.deleted_at IS NOT NULL
          OR (e.status = 'disabled' AND greatest(e.disabled_at, d.created_at) < now() - make_interval(days => $1))
       LIMIT $2
     ), chosen AS (
       SELECT id FROM deliveries WHERE id IN (SELECT id FROM abandoned) ORDER BY id FOR UPDATE
     ), ${cancel(`coalesce((SELECT CASE WHEN e.deleted_at IS NULL THEN 'parked_too_long' ELSE 'endpoint_removed' END
         FROM endpoints e WHERE e.id = d.endpoint_id), 'endpoint_removed')`)}`,
    [days, limit],
  );
  if (done?.count) wakeLane(db, 'workflow');
  return done?.count ?? 0;
}

/** Many become due together, oldest first: a microsecond apart keeps the order. */
const IN_ORDER = `now() + row_number() OVER (ORDER BY d.created_at, d.id) * interval '1 microsecond'`;

/**
 * Of the deliveries that failed since then, `BATCH_ROWS` at most, in a transaction of its own. A request recovers each once,
 * also one that has failed again meanwhile; another request finds it pending. `recovered` is not how many rows were queued:
 * one that a relay holds stays as it is, and its delivery waits again afterwards. `found` counts also those that another
 * request has just recovered.
 */
export async function recoverDeliveries(
  pool: pg.Pool,
  endpointId: string,
  since: string,
  requestId: string,
): Promise<{ found: number; recovered: number }> {
  const batch = await rowByIndexes<{ found: number; recovered: number }>(
    pool,
    'recover_deliveries',
    `WITH chosen AS (
       SELECT id FROM deliveries WHERE id = ANY (ARRAY(
         SELECT u.delivery_id FROM undelivered u WHERE u.endpoint_id = $1 AND u.status = 'failed' AND u.ended_at >= $2
           AND (SELECT count(*) FROM delivery_retries r WHERE r.delivery_id = u.delivery_id AND r.request_id = $3::uuid) = 0
         ORDER BY u.ended_at LIMIT $4))
       ORDER BY id FOR UPDATE
     ), requested AS (
       UPDATE deliveries d SET ${REQUEST_ATTEMPT}
       WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) AND d.status = 'failed' RETURNING ${QUEUED}
     ), recorded AS (
       INSERT INTO delivery_retries (delivery_id, request_id) SELECT id, $3::uuid FROM requested
     ), queued AS (
       ${enqueue('requested', { priority: ORDINARY, dueAt: IN_ORDER })}
     )
     SELECT (SELECT count(*)::int FROM chosen) AS found, (SELECT count(*)::int FROM requested) AS recovered`,
    [endpointId, since, requestId, BATCH_ROWS],
  );
  if (batch?.recovered) wakeLane(pool, 'workflow');
  return batch ?? { found: 0, recovered: 0 };
}

/** How many deliveries a request has recovered before its process died. */
export async function countRecovered(db: Db, endpointId: string, requestId: string): Promise<number> {
  const found = await row<{ recovered: number }>(
    db,
    'count_recovered',
    `SELECT count(*)::int AS recovered FROM delivery_retries r JOIN deliveries d ON d.id = r.delivery_id
     WHERE d.endpoint_id = $1 AND r.request_id = $2`,
    [endpointId, requestId],
  );
  return found?.recovered ?? 0;
}

/**
 * After an endpoint was enabled: each of its paused deliveries gets one attempt, oldest first, `BATCH_ROWS` at most in a
 * transaction. Returns the last one of the batch, after which the next one begins; null after the last batch. Those that wait
 * for a slot are queued already; those whose workflow sleeps, or is yet to be started and would sleep, are requested here.
 */
export async function resumeDeliveries(
  db: Db,
  endpointId: string,
  after: Cursor | null = null,
): Promise<Cursor | null> {
  await useIndexes(db);
  const last = await row<Cursor & { found: number }>(
    db,
    'resume_deliveries',
    `WITH oldest AS MATERIALIZED (
       SELECT u.delivery_id, u.created_at FROM undelivered u
       WHERE u.endpoint_id = $1 AND u.status = 'pending'
         AND (u.created_at, u.delivery_id) > (coalesce($2::timestamptz, '-infinity'),
           coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
         AND (SELECT count(*) FROM delivery_queue q
           WHERE q.delivery_id = u.delivery_id AND (q.holder IS NOT NULL OR q.needs_slot)) = 0
       ORDER BY u.created_at, u.delivery_id LIMIT $4
     ), chosen AS (
       SELECT id FROM deliveries WHERE id = ANY (ARRAY(SELECT delivery_id FROM oldest)) ORDER BY id FOR UPDATE
     ), resumed AS (
       UPDATE deliveries d SET round = greatest(d.round, d.served + 1), next_attempt_at = now(), overdue_at = 'infinity'
       WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) AND d.status = 'pending' RETURNING ${QUEUED}
     ), queued AS (
       ${enqueue('resumed', { priority: ORDINARY, dueAt: IN_ORDER })}
     )
     SELECT ${cursorTime('created_at')} AS at, delivery_id AS id, (SELECT count(*)::int FROM oldest) AS found
     FROM oldest ORDER BY created_at DESC, delivery_id DESC LIMIT 1`,
    [endpointId, after?.at ?? null, after?.id ?? null, BATCH_ROWS],
  );
  // Attempts that waited for a slot of the endpoint are claimable again, too.
  for (const lane of ['workflow', 'express', null] as const) wakeLane(db, lane);
  return last?.found === BATCH_ROWS ? last : null;
}

/**
 * Queues the deliveries of `chosen`, which have or had a workflow: the relay signals the workflow, or starts another one if it is
 * lost. A delivery that waits for its next scheduled attempt keeps its time.
 */
const RESTART = `restarted AS (
       UPDATE deliveries d SET started = true, overdue_at = clock_timestamp() + interval '2 minutes'
       WHERE d.id = ANY (ARRAY(SELECT id FROM chosen)) AND d.status = 'pending' RETURNING ${QUEUED}
     )
     ${enqueue('restarted', {
       priority: ORDINARY,
       dueAt: 'now()',
       needsSlot: 'coalesce(d.next_attempt_at <= now(), true)',
     })}`;

/** Queues overdue deliveries, at most `limit`: each should have moved two minutes ago, and is overdue again in two minutes. */
export async function restartOverdue(db: Db, limit: number): Promise<number> {
  const queued = await change(
    db,
    'restart_overdue',
    `WITH chosen AS MATERIALIZED (
       SELECT d.id FROM undelivered u JOIN deliveries d ON d.id = u.delivery_id
       WHERE u.status = 'pending' AND u.overdue_at <= now() AND d.status = 'pending' AND d.overdue_at <= now()
         AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = d.id)
       ORDER BY u.overdue_at LIMIT $1 FOR UPDATE OF d SKIP LOCKED
     ), ${RESTART}`,
    [limit],
  );
  if (queued > 0) wakeLane(db, 'workflow');
  return queued;
}

/** Queues a delivery whose workflow is lost. */
export async function restartDelivery(db: Db, id: string): Promise<number> {
  const queued = await change(
    db,
    'restart_delivery',
    `WITH chosen AS (SELECT id FROM deliveries WHERE id = $1 FOR UPDATE), ${RESTART}`,
    [id],
  );
  wakeLane(db, 'workflow');
  return queued;
}
