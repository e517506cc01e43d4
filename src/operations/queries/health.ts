import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';
import { MAX_COUNTED } from './lag';

/** The version as text and as a comparable number. */
export async function serverVersion(db: Db): Promise<{ version: string; number: number }> {
  const found = await row<{ version: string; number: number }>(
    db,
    'server_version',
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number`,
  );
  return found ?? { version: 'unknown', number: 0 };
}

/** The database clock, in milliseconds. */
export async function serverTime(db: Db): Promise<number> {
  const found = await row<{ now: number }>(
    db,
    'server_time',
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  return found?.now ?? 0;
}

/**
 * Counts pending deliveries that are five minutes overdue. The reconciler acts after two, so it is not running or not
 * keeping up. Deliveries of disabled endpoints do not count.
 */
export async function overdueDeliveries(db: Db): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    'overdue_deliveries',
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM deliveries d JOIN endpoints e ON e.id = d.endpoint_id AND e.status = 'active'
       WHERE d.status = 'pending'
         AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = d.id)
         AND greatest(d.overdue_at - interval '2 minutes', d.next_attempt_at) <= now() - interval '5 minutes'
       LIMIT $1) overdue`,
    [MAX_COUNTED],
  );
  return found?.count ?? 0;
}

/**
 * Counts sessions whose expiry, or whose code's expiry, is 15 minutes overdue. A session may wait ten minutes for a
 * late tap.
 */
export async function overdueSessions(db: Db): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    'overdue_sessions',
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM auth_sessions
       WHERE status IN ('pending', 'confirmed')
         AND coalesce(code_expires_at, expires_at) <= now() - interval '15 minutes'
       LIMIT $1) overdue`,
    [MAX_COUNTED],
  );
  return found?.count ?? 0;
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
     WHERE e.full_at > now() - interval '15 seconds' AND e.status = 'active' AND e.deleted_at IS NULL
       AND w.since < now() - interval '1 minute'
     ORDER BY w.waiting DESC LIMIT 5`,
    [MAX_COUNTED],
  );
}
