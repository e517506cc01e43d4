import { conditions } from '../../../base/db/conditions';
import { countRows } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import type { LoggedStatus } from '../contract';
import { COLUMNS, STATUS, type SessionLogRow } from './log';

/* What operators see of the sessions of all projects. */

export interface OperatorSession extends SessionLogRow {
  project_id: string;
  project_slug: string;
  code_expires_at: Date | null;
  workflow_started_at: Date | null;
}

interface OperatorSessionFilter {
  projectId?: string | undefined;
  status?: LoggedStatus | undefined;
  since?: string | undefined;
  limit: number;
}

const SESSION = `SELECT ${COLUMNS}, s.project_id, p.slug AS project_slug, s.code_expires_at, s.workflow_started_at
  FROM auth_sessions s JOIN projects p ON p.id = s.project_id`;

/** The statement has only the given filters, so that each uses the best index; therefore it is not prepared. */
export async function searchSessions(db: Db, filter: OperatorSessionFilter): Promise<OperatorSession[]> {
  const { text, values } = conditions({
    's.project_id = ?': filter.projectId,
    [`${STATUS} = ?`]: filter.status,
    's.created_at >= ?': filter.since,
  });
  const found = await db.query<OperatorSession>({
    text: `${SESSION} ${text} ORDER BY s.created_at DESC, s.id DESC LIMIT $${values.length + 1}`,
    values: [...values, filter.limit],
  });
  return found.rows;
}

export async function findAnySession(db: Db, id: string): Promise<OperatorSession | null> {
  const found = await db.query<OperatorSession>({ text: `${SESSION} WHERE s.id = $1`, values: [id] });
  return found.rows[0] ?? null;
}

/** Age of the oldest pending session without a workflow, in seconds; cancelled ones that wait to be signalled do not count. */
export async function sessionLag(db: Db): Promise<number> {
  const found = await row<{ lag: number | null }>(
    db,
    'session_lag',
    `SELECT extract(epoch FROM now() - min(created_at))::float8 AS lag
     FROM auth_sessions WHERE workflow_started_at IS NULL AND status = 'pending'`,
  );
  return found?.lag ?? 0;
}

/**
 * Counts sessions whose expiry, or whose code's expiry, is 15 minutes overdue. A session may wait ten minutes for a
 * late tap.
 */
export function overdueSessions(db: Db): Promise<number> {
  return countRows(
    db,
    'overdue_sessions',
    `SELECT 1 FROM auth_sessions WHERE status IN ('pending', 'confirmed')
       AND coalesce(code_expires_at, expires_at) <= now() - interval '15 minutes'`,
  );
}

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
