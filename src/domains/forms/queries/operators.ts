import { countRows, LATE, lateRows, type Late } from '../../../base/db/counts';
import type { Db } from '../../../base/db/pool';
import { maySend } from '../../projects';

/** The submissions of all projects whose routes should have run, for operators. */
export function lateSubmissions(db: Db): Promise<Late[]> {
  return lateRows(db, 'late_submissions', {
    form: `SELECT id, next_at AS due_at FROM form_submissions
      WHERE next_at < ${LATE} AND ${maySend('project_id')}`,
  });
}

/** The submissions of a project whose routes have not all run, counted up to MAX_COUNTED. */
export function countRunning(db: Db, projectId: string): Promise<number> {
  return countRows(
    db,
    'count_running_submissions',
    'SELECT FROM form_submissions WHERE project_id = $1 AND next_at IS NOT NULL',
    [projectId],
  );
}
