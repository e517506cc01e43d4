import type { Db } from '../../../base/db/pool';
import { row } from '../../../base/db/query';

/** Sessions with a `site` were begun without a key. */
const OPEN = `project_id = $1 AND site IS NOT NULL AND status = 'pending' AND expires_at > clock_timestamp()`;

/** Whether a site and the project have this many open sessions that were begun without a key. */
export async function findFullBounds(
  db: Db,
  projectId: string,
  site: string,
  { ofSite, ofProject }: { ofSite: number; ofProject: number },
): Promise<{ site: boolean; project: boolean }> {
  const found = await row<{ site: boolean; project: boolean }>(
    db,
    'find_full_bounds_of_sessions',
    `SELECT (SELECT count(*) FROM (SELECT 1 FROM auth_sessions WHERE ${OPEN} AND site = $2 LIMIT $3) AS open) >= $3 AS site,
       (SELECT count(*) FROM (SELECT 1 FROM auth_sessions WHERE ${OPEN} LIMIT $4) AS open) >= $4 AS project`,
    [projectId, site, ofSite, ofProject],
  );
  if (!found) throw new Error('a count returned no row');
  return found;
}

/**
 * Locks the oldest session that was begun without a key and has not been opened in a messenger; null if there is none. Does not
 * wait for a lock, because the caller holds the project's, which comes after a session's.
 */
export async function lockOldestUnopenedSession(db: Db, projectId: string): Promise<string | null> {
  const found = await row<{ id: string }>(
    db,
    'lock_oldest_unopened_session',
    `SELECT id FROM auth_sessions WHERE ${OPEN} AND platform_user_id IS NULL
     ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
    [projectId],
  );
  return found?.id ?? null;
}
