import { countRows, LATE, lateRows, type Late } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { maySend } from '../../projects';
import type { ScheduledStatus } from '../contract';

/* What operators see of the scheduled messages of all projects. */

export function lateScheduled(db: Db): Promise<Late[]> {
  return lateRows(db, 'late_scheduled', {
    scheduled: `SELECT id, next_at AS due_at FROM scheduled
      WHERE ended_at IS NULL AND next_at < ${LATE} AND ${maySend('project_id')}`,
  });
}

/** Waiting entries of a project, counted up to MAX_COUNTED. One that has become a broadcast counts as a broadcast. */
export function countWaitingScheduled(db: Db, projectId: string): Promise<number> {
  return countRows(
    db,
    'count_waiting_scheduled',
    'SELECT FROM scheduled WHERE project_id = $1 AND ended_at IS NULL AND job_id IS NULL',
    [projectId],
  );
}

/** The project that a scheduled message belongs to; null if there is none. */
export async function findScheduledOwner(db: Db, id: string): Promise<string | null> {
  const found = await row<{ project_id: string }>(
    db,
    'find_scheduled_owner',
    'SELECT project_id FROM scheduled WHERE id = $1',
    [id],
  );
  return found?.project_id ?? null;
}

export interface OperatorScheduled {
  id: string;
  project: string;
  name: string | null;
  status: ScheduledStatus;
  next_at: Date | null;
  created_at: Date;
}

/** Of all projects, or of one; newest first. */
export function listOperatorScheduled(
  db: Db,
  filter: { projectId: string | null; status: string | null; limit: number },
): Promise<OperatorScheduled[]> {
  return rows<OperatorScheduled>(
    db,
    'list_operator_scheduled',
    `SELECT e.id, p.slug AS project, e.name, e.status, e.next_at, e.created_at
     FROM scheduled e JOIN projects p ON p.id = e.project_id
     WHERE ($1::uuid IS NULL OR e.project_id = $1) AND ($2::text IS NULL OR e.status = $2)
     ORDER BY e.created_at DESC, e.id DESC LIMIT $3`,
    [filter.projectId, filter.status, filter.limit],
  );
}
