import type pg from 'pg';
import { type BatchWork, MORE, resumeEntries } from '../../base/agenda';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction } from '../../base/db/pool';
import { RESUMED_PROJECTS } from './queries/projects';
import { projectMaySend } from './queries/sending';

/**
 * Makes due what was parked while a project was inactive: it can be 100,000 enrolments. Nothing is parked after the commit that
 * lets the project send; one that is inactive again keeps the rest.
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
