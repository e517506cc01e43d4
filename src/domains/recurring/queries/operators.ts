import { countRows, LATE, lateRows, type Late } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { maySend } from '../../projects';
import type { RecurringStatus } from '../contract';

/* What operators see of the recurring messages of all projects. */

export function lateRecurring(db: Db): Promise<Late[]> {
  return lateRows(db, 'late_recurring', {
    recurring: `SELECT id, next_at AS due_at FROM recurring
      WHERE next_at < ${LATE} AND ${maySend('project_id')}`,
  });
}

/** Active messages of a project, counted up to MAX_COUNTED. */
export function countActiveRecurring(db: Db, projectId: string): Promise<number> {
  return countRows(
    db,
    'count_active_recurring',
    "SELECT FROM recurring WHERE project_id = $1 AND status = 'active'",
    [projectId],
  );
}

/** The project that a recurring message belongs to; null if there is none. */
export async function findRecurringOwner(db: Db, id: string): Promise<string | null> {
  const found = await row<{ project_id: string }>(
    db,
    'find_recurring_owner',
    'SELECT project_id FROM recurring WHERE id = $1 AND deleted_at IS NULL',
    [id],
  );
  return found?.project_id ?? null;
}

export interface OperatorRecurring {
  id: string;
  project: string;
  name: string;
  cron: string;
  status: RecurringStatus;
  next_at: Date | null;
  created_at: Date;
}

/** Of all projects, or of one; newest first. */
export function listOperatorRecurring(
  db: Db,
  filter: { projectId: string | null; status: string | null; limit: number },
): Promise<OperatorRecurring[]> {
  return rows<OperatorRecurring>(
    db,
    'list_operator_recurring',
    `SELECT e.id, p.slug AS project, e.name, e.cron, e.status, e.next_at, e.created_at
     FROM recurring e JOIN projects p ON p.id = e.project_id
     WHERE ($1::uuid IS NULL OR e.project_id = $1) AND ($2::text IS NULL OR e.status = $2)
     ORDER BY e.created_at DESC, e.id DESC LIMIT $3`,
    [filter.projectId, filter.status, filter.limit],
  );
}
