import type pg from 'pg';
import { type BatchWork, MORE, resumeEntries } from '../../base/agenda';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction } from '../../base/db/pool';
import { RESUMED_PROJECTS } from './queries/projects';
import { projectMaySend } from './queries/sending';

/**
 * Makes the parked entries of a project that became active due, in batches: it can have 100,000 enrolments. No entry is parked
 * after the commit that activates the project. If it becomes inactive again, the rest stay parked.
 */
export function resumedProjects(pool: pg.Pool): BatchWork {
  return {
    name: RESUMED_PROJECTS,
    nextBatch: ({ id }) =>
      withTransaction(pool, async (db) => {
        if (!(await projectMaySend(db, id))) return null;
        return (await resumeEntries(db, id)) === BATCH_ROWS ? MORE : null;
      }),
  };
}
