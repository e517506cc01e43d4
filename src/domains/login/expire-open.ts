import type pg from 'pg';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction } from '../../base/db/pool';
import type { StopWork } from '../projects';
import { expireSessions, listPendingSessions } from './queries/decisions';

const FIRST = '00000000-0000-0000-0000-000000000000';

/**
 * Ends the open sessions and approvals of a project that became inactive, in batches. Sessions with an answer are left to their
 * workflows, which expire them.
 */
export const expireOpenSessions: StopWork = async (pool: pg.Pool, projectId) => {
  let sessions = 0;
  let after = FIRST;
  for (;;) {
    const ids = await listPendingSessions(pool, projectId, after, BATCH_ROWS);
    sessions += await withTransaction(pool, (db) => expireSessions(db, ids));
    if (ids.length < BATCH_ROWS) return { sessions };
    after = ids.at(-1) ?? after;
  }
};
