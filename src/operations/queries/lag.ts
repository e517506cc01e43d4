import type { Db } from '../../db/pool';
import { row } from '../../db/query';

/** An upper bound for counts, so that a scrape stays cheap with a long backlog. */
export const MAX_COUNTED = 10_000;

/** Counts deliveries that wait for a start or a slot, including those of full or disabled endpoints; at most MAX_COUNTED. */
export async function countDueDeliveries(db: Db): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    'count_due_deliveries',
    `SELECT count(*)::int AS count FROM (
       SELECT 1 FROM delivery_queue WHERE holder IS NULL AND needs_slot LIMIT $1) due`,
    [MAX_COUNTED],
  );
  return found?.count ?? 0;
}

/** Age of the oldest pending session without a workflow, in seconds; cancelled ones that wait to be signalled do not count. */
export async function sessionLag(db: Db): Promise<number> {
  const found = await row<{ lag: number | null }>(
    db,
    'session_lag',
    `SELECT extract(epoch FROM now() - min(created_at))::float8 AS lag
     FROM auth_sessions WHERE workflow_started_at IS NULL AND status = 'pending'`,
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
