import { conditions } from '../../../base/db/conditions';
import { countRows, MAX_COUNTED } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { rows } from '../../../base/db/query';
import type { DeliveryStatus } from '../contract';
import { COLUMNS, IN_FLIGHT, STATUS, type DeliveryRow } from './deliveries';
import { WAITS_FOR_RECEIVER } from './lag';

/* What operators see of the deliveries of all projects. */

export interface OperatorDelivery extends DeliveryRow {
  project_id: string;
  project_slug: string;
  url: string;
  endpoint_description: string | null;
}

export interface OperatorDeliveryFilter {
  projectId?: string | undefined;
  endpointId?: string | undefined;
  event?: string | undefined;
  status?: DeliveryStatus | undefined;
  /** Only deliveries whose next attempt is at least the second. */
  retrying?: boolean | undefined;
  since?: string | undefined;
  limit: number;
}

const DELIVERY = `SELECT ${COLUMNS}, d.project_id, p.slug AS project_slug, e.url, e.description AS endpoint_description
  FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id JOIN projects p ON p.id = d.project_id
  ${IN_FLIGHT}`;

/** The statement has only the given filters, so that each uses the best index; therefore it is not prepared. */
export async function searchDeliveries(db: Db, filter: OperatorDeliveryFilter): Promise<OperatorDelivery[]> {
  const { text, values } = conditions({
    // By endpoint, because deliveries are indexed by endpoint.
    'e.project_id = ?': filter.projectId,
    'd.endpoint_id = ?': filter.endpointId,
    'd.event_name = ?': filter.event,
    [`${STATUS} = ?`]: filter.retrying ? 'pending' : filter.status,
    'd.attempts > ?': filter.retrying ? 0 : undefined,
    'd.created_at >= ?': filter.since,
  });
  const found = await db.query<OperatorDelivery>({
    text: `${DELIVERY} ${text} ORDER BY d.created_at DESC, d.id DESC LIMIT $${values.length + 1}`,
    values: [...values, filter.limit],
  });
  return found.rows;
}

export async function findAnyDelivery(db: Db, id: string): Promise<OperatorDelivery | null> {
  const found = await db.query<OperatorDelivery>({ text: `${DELIVERY} WHERE d.id = $1`, values: [id] });
  return found.rows[0] ?? null;
}

/** Counts deliveries that wait for a start or a slot, including those of full or disabled endpoints. */
export function countDueDeliveries(db: Db): Promise<number> {
  return countRows(
    db,
    'count_due_deliveries',
    'SELECT 1 FROM delivery_queue WHERE holder IS NULL AND needs_slot',
  );
}

/**
 * Counts pending deliveries that are five minutes overdue. The sweep queues them after two, so the relay is not running or
 * not keeping up. Deliveries of disabled endpoints do not count.
 */
export function overdueDeliveries(db: Db): Promise<number> {
  return countRows(
    db,
    'overdue_deliveries',
    `SELECT 1 FROM undelivered u JOIN deliveries d ON d.id = u.delivery_id
     JOIN endpoints e ON e.id = d.endpoint_id AND e.status = 'active'
     WHERE u.status = 'pending'
       AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = d.id)
       AND greatest(d.overdue_at - interval '2 minutes', d.next_attempt_at) <= now() - interval '5 minutes'`,
  );
}

export interface SlowEndpoint {
  id: string;
  url: string;
  waiting: number;
}

/** Endpoints whose deliveries have waited for a minute because slow attempts hold every slot. */
export function slowEndpoints(db: Db): Promise<SlowEndpoint[]> {
  return rows<SlowEndpoint>(
    db,
    'slow_endpoints',
    `SELECT e.id, e.url, w.waiting FROM endpoints e CROSS JOIN LATERAL (
       SELECT count(*)::int AS waiting, min(due_at) AS since FROM (
         SELECT due_at FROM delivery_queue q WHERE q.endpoint_id = e.id AND q.holder IS NULL AND q.needs_slot
         LIMIT $1) q) w
     WHERE ${WAITS_FOR_RECEIVER} AND e.status = 'active' AND e.deleted_at IS NULL
       AND w.since < now() - interval '1 minute'
     ORDER BY w.waiting DESC LIMIT 5`,
    [MAX_COUNTED],
  );
}

/** Pending deliveries that should have a workflow. The others are queued for the relay or in the express lane. */
export async function startedOpenDeliveries(db: Db): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'started_open_deliveries',
    `SELECT u.delivery_id AS id FROM undelivered u WHERE u.status = 'pending'
       AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = u.delivery_id) ORDER BY u.overdue_at`,
  );
  return found.map(({ id }) => id);
}
