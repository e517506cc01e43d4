import { LATE, lateRows, type Late } from '../../db/counts';
import type { Db } from '../../db/pool';

/** What operators see of the submissions of all projects: those whose routes should have run. */
export function lateSubmissions(db: Db): Promise<Late[]> {
  return lateRows(db, 'late_submissions', {
    form: `SELECT id, next_at AS due_at FROM form_submissions WHERE wake_at IS NOT NULL AND next_at < ${LATE}`,
  });
}
