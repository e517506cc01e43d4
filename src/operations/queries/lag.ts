import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { row } from '../../db/query';
import { waitingEndpoints } from '../../webhooks/queries/starts';

/** An upper bound for counts, so that a scrape stays cheap with a long backlog. */
export const MAX_COUNTED = 10_000;

/**
 * Age of the oldest delivery that the relay could start now, in seconds. What waits for a disabled endpoint, or for a
 * free slot of its own, is not late.
 */
export async function deliveryLag(db: Db): Promise<number> {
  const found = await row<{ lag: number | null }>(
    db,
    'delivery_lag',
    // From endpoint to endpoint through the index, as the relay's own claim does.
    `${waitingEndpoints('d.start_at IS NOT NULL')}
     SELECT extract(epoch FROM now() - min(next.start_at))::float8 AS lag
     FROM waiting w JOIN endpoints e ON e.id = w.endpoint_id AND e.status = 'active' AND e.deleted_at IS NULL
     CROSS JOIN LATERAL (
       SELECT q.start_at FROM deliveries q
       WHERE q.endpoint_id = e.id AND q.status = 'pending' AND q.start_at <= now()
       ORDER BY q.bulk, q.start_at LIMIT 1) next
     WHERE (SELECT count(*) FROM deliveries o WHERE o.endpoint_id = e.id AND o.slot_until > now()) < $1`,
    [limits.webhookConcurrencyPerEndpoint],
  );
  return found?.lag ?? 0;
}

/** Counts due deliveries that have not started, including those of full or disabled endpoints; at most MAX_COUNTED. */
export async function countDueDeliveries(db: Db): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    'count_due_deliveries',
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM deliveries WHERE status = 'pending' AND start_at <= now() LIMIT $1) due`,
    [MAX_COUNTED],
  );
  return found?.count ?? 0;
}

/** Age of the oldest session without a workflow, in seconds. */
export async function sessionLag(db: Db): Promise<number> {
  const found = await row<{ lag: number | null }>(
    db,
    'session_lag',
    `SELECT extract(epoch FROM now() - min(created_at))::float8 AS lag
     FROM auth_sessions WHERE workflow_started_at IS NULL`,
    [],
  );
  return found?.lag ?? 0;
}

/** Age of the oldest unhandled bot update, in seconds, and the number of updates set aside. */
export async function botUpdateLag(db: Db): Promise<{ lag: number; setAside: number }> {
  const found = await row<{ lag: number | null; set_aside: number }>(
    db,
    'bot_update_lag',
    `SELECT (SELECT extract(epoch FROM now() - min(received_at))::float8
             FROM bot_updates WHERE handled_at IS NULL AND set_aside_at IS NULL) AS lag,
       (SELECT count(*)::int FROM bot_updates WHERE handled_at IS NULL AND set_aside_at IS NOT NULL) AS set_aside`,
    [],
  );
  return { lag: found?.lag ?? 0, setAside: found?.set_aside ?? 0 };
}
