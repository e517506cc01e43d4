import type { Cursor } from '../../contract/cursor';
import type { DeliveryStatus } from '../contract';
import { cursorTime } from '../../db/cursor-time';
import { notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';

/** A delivery as the log shows it; `paused` is computed here and nowhere else. */
export interface DeliveryRow {
  id: string;
  endpoint_id: string;
  event_id: string;
  event_name: string;
  status: DeliveryStatus;
  attempts: number;
  last_http_status: number | null;
  last_error: string | null;
  created_at: Date;
  first_attempt_at: Date | null;
  next_attempt_at: Date | null;
  ended_at: Date | null;
}

export const STATUS = `CASE WHEN d.status = 'pending' AND e.status = 'disabled' THEN 'paused' ELSE d.status END`;

export const COLUMNS = `d.id, d.endpoint_id, d.event_id, d.event_name, ${STATUS} AS status, d.attempts, d.last_http_status,
  d.last_error, d.created_at, d.first_attempt_at, d.next_attempt_at, d.ended_at`;

export interface DeliveryFilter {
  status?: DeliveryStatus | undefined;
  event?: string | undefined;
  since?: string | undefined;
  before: Cursor | null;
  limit: number;
}

/** One row more than the limit, which tells whether there is another page. */
export function listDeliveries(
  db: Db,
  endpointId: string,
  filter: DeliveryFilter,
): Promise<(DeliveryRow & { cursor_at: string })[]> {
  return rows<DeliveryRow & { cursor_at: string }>(
    db,
    'list_deliveries',
    `SELECT ${COLUMNS}, ${cursorTime('d.created_at')} AS cursor_at
     FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id
     WHERE d.endpoint_id = $1
       AND ($2::text IS NULL OR ${STATUS} = $2)
       AND ($3::text IS NULL OR d.event_name = $3)
       AND d.created_at >= coalesce($4::timestamptz, '-infinity')
       AND (d.created_at, d.id) < (coalesce($5::timestamptz, 'infinity'), coalesce($6::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY d.created_at DESC, d.id DESC LIMIT $7`,
    [
      endpointId,
      filter.status ?? null,
      filter.event ?? null,
      filter.since ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit + 1,
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
     WHERE d.id = $2 AND d.project_id = $1`,
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

/** One more attempt, now. The relay wakes the workflow, or starts it again where it has ended. */
const ASK_FOR_ATTEMPT = `round = d.round + 1, status = 'pending', failure = NULL, ended_at = NULL,
  next_attempt_at = now(), overdue_at = now() + interval '2 minutes'`;

/** False when this Idempotency-Key has asked before. */
export async function requestRetry(db: Db, id: string, idempotencyKey: string | null): Promise<boolean> {
  if (idempotencyKey !== null) {
    const fresh = await row(
      db,
      'insert_delivery_retry',
      `INSERT INTO delivery_retries (delivery_id, idempotency_key) VALUES ($1, $2)
       ON CONFLICT DO NOTHING RETURNING 1 AS fresh`,
      [id, idempotencyKey],
    );
    if (!fresh) return false;
  }
  await row(
    db,
    'request_retry',
    `WITH asked AS (UPDATE deliveries d SET ${ASK_FOR_ATTEMPT}, start_at = now() WHERE id = $1 RETURNING 1)
     SELECT pg_notify($2, '') FROM asked`,
    [id, notifyChannels.delivery],
  );
  return true;
}

const CANCEL = `status = 'cancelled', ended_at = now(), next_attempt_at = NULL, served = d.round,
  start_at = CASE WHEN d.started THEN now() END`;

/** Ends a pending delivery; the relay tells its workflow, if it has one. */
export async function cancelDelivery(db: Db, id: string): Promise<void> {
  await row(
    db,
    'cancel_delivery',
    `WITH cancelled AS (
       UPDATE deliveries d SET ${CANCEL} WHERE id = $1 AND status = 'pending' RETURNING 1)
     SELECT pg_notify($2, '') FROM cancelled`,
    [id, notifyChannels.delivery],
  );
}

export async function cancelDeliveriesOf(db: Db, endpointId: string): Promise<void> {
  await row(
    db,
    'cancel_deliveries_of',
    `WITH cancelled AS (
       UPDATE deliveries d SET ${CANCEL} WHERE endpoint_id = $1 AND status = 'pending' RETURNING 1)
     SELECT pg_notify($2, '') FROM cancelled LIMIT 1`,
    [endpointId, notifyChannels.delivery],
  );
}

/** Every delivery that failed since then, once each: a second call finds them pending. Answers how many. */
export async function recoverDeliveries(db: Db, endpointId: string, since: string): Promise<number> {
  const recovered = await row<{ count: number }>(
    db,
    'recover_deliveries',
    `WITH asked AS (
       UPDATE deliveries d SET ${ASK_FOR_ATTEMPT}, start_at = d.created_at
       WHERE endpoint_id = $1 AND status = 'failed' AND ended_at >= $2 RETURNING 1)
     SELECT count(*), (SELECT pg_notify($3, '')) FROM asked`,
    [endpointId, since, notifyChannels.delivery],
  );
  return recovered?.count ?? 0;
}

/**
 * After an endpoint was enabled: each of its paused deliveries gets one attempt, oldest first, at the relay's pace.
 * Those that were parked wait for the relay already; those whose workflow sleeps, or is yet to start and would sleep,
 * are asked for here.
 */
export async function resumeDeliveries(db: Db, endpointId: string): Promise<void> {
  await row(
    db,
    'resume_deliveries',
    `WITH resumed AS (
       UPDATE deliveries d SET round = greatest(d.round, d.served + 1), next_attempt_at = now(), start_at = d.created_at
       WHERE endpoint_id = $1 AND status = 'pending' AND slot_until IS NULL
         AND (start_at IS NULL OR next_attempt_at > now()))
     SELECT pg_notify($2, '')`,
    [endpointId, notifyChannels.delivery],
  );
}
