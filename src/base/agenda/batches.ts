import type pg from 'pg';
import { inTurn } from '../db/batches';
import { scheduleBy, type DueRow, type Next } from './queries';
import type { Kind } from './relay';

/** Work on more rows than one transaction should change. */
export interface BatchWork {
  name: string;
  /**
   * Changes the next rows in one transaction, under a lock that the batches of this entry share. Returns `MORE` if rows may be
   * left. The batch that leaves none ends the work and removes its entry.
   */
  nextBatch(row: Pick<DueRow, 'id' | 'project_id'>): Promise<Next>;
}

/** Rows are left: the next batch is due now. */
export const MORE: Next = { inMs: 0 };

/** Projects whose batches are in flight at once: one that waits for a lock leaves slots for the others. */
const PROJECTS = 4;

/** A kind that does one batch for each claim, and for each project one at a time. */
export function batchKind({ name, nextBatch }: BatchWork): Kind {
  return {
    name,
    concurrency: PROJECTS,
    perProject: 1,
    advance: (row) => inTurn(row.project_id, () => nextBatch(row)),
  };
}

/** How long a request works on its own change before it leaves the rest to the agenda. */
const REQUEST_MS = 5_000;

/** When a change that its request begins with `beginNow` is due: the request has ended by then, or its process has died. */
export const AFTER_REQUEST = { inMs: 2 * REQUEST_MS };

/** Called by a request after its commit. The change is made already, so a fault must not fail the request. */
export async function beginNow(
  pool: pg.Pool,
  { name, nextBatch }: BatchWork,
  row: Pick<DueRow, 'id' | 'project_id'>,
): Promise<void> {
  const until = performance.now() + REQUEST_MS;
  try {
    while (performance.now() < until) {
      const waitMs = until - performance.now();
      if ((await inTurn(row.project_id, () => nextBatch(row), { waitMs })) !== MORE) return;
    }
    await scheduleBy(pool, name, [row]);
  } catch {
    // The entry is due soon.
  }
}
