import type { StartableSession } from '../../login/queries/starts';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';

/** Open sessions marked as having a workflow. The relay starts the others. */
export async function startedOpenSessions(db: Db): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'started_open_sessions',
    `SELECT id FROM auth_sessions
     WHERE status IN ('pending', 'confirmed') AND workflow_started_at IS NOT NULL ORDER BY expires_at`,
  );
  return found.map(({ id }) => id);
}

/** The data needed to start the session's workflow; null if it has ended. It waits only if the user has not answered yet. */
export function findOpenSession(db: Db, id: string): Promise<StartableSession | null> {
  return row<StartableSession>(
    db,
    'find_open_session',
    `SELECT id, project_id, flow,
       CASE WHEN status = 'pending' AND NOT EXISTS (SELECT 1 FROM auth_answers a WHERE a.session_id = s.id)
         THEN ceil(extract(epoch FROM expires_at - clock_timestamp()) * 1000) ELSE 0 END::float8 AS wait_ms
     FROM auth_sessions s WHERE id = $1 AND status IN ('pending', 'confirmed')`,
    [id],
  );
}

/** Pending deliveries that should have a workflow. The others are queued for the relay or in the express lane. */
export async function startedOpenDeliveries(db: Db): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'started_open_deliveries',
    `SELECT d.id FROM deliveries d WHERE d.status = 'pending'
       AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = d.id) ORDER BY d.overdue_at`,
  );
  return found.map(({ id }) => id);
}
