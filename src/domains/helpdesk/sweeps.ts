import type pg from 'pg';
import { type BatchWork, MORE, type Next, scheduleAt, unschedule } from '../../base/agenda';
import { BATCH_ROWS } from '../../base/db/batches';
import { withTransaction, type Db } from '../../base/db/pool';
import {
  deleteSweep,
  insertSweep,
  lockSweep,
  sweepKinds,
  sweepNext,
  type TicketSweep,
} from './queries/sweeps';

const kindName = (kind: TicketSweep['kind']) => `ticket-sweeps-${kind}`;

/** Changes up to a thousand rows in the transaction of the caller; the agenda changes the others after it. */
export async function beginSweep(db: Db, sweep: TicketSweep): Promise<void> {
  const { kind, id, project_id } = sweep;
  await insertSweep(db, sweep);
  const next = (await sweepNext(db, sweep)) < BATCH_ROWS ? await settleSweep(db, sweep) : MORE;
  if (next === null) await unschedule(db, kindName(kind), [id]);
  else await scheduleAt(db, kindName(kind), [{ id, project_id, at: next }]);
}

/** The tickets and the messages of a removed member stay, without the member. */
export async function forgetMember(db: Db, projectId: string, memberId: string): Promise<void> {
  for (const kind of ['assignee', 'author'] as const) {
    await beginSweep(db, { kind, id: memberId, project_id: projectId });
  }
}

/** Safe to repeat: rows that were changed are not found again. */
export function ticketSweeps(pool: pg.Pool): BatchWork[] {
  return sweepKinds.map((kind) => ({
    name: kindName(kind),
    nextBatch: ({ id, project_id }) =>
      withTransaction(pool, async (db) => {
        const sweep = { kind, id, project_id };
        // Locked first, so that a sweep that was started again meanwhile is not taken for the one that has ended.
        if (!(await lockSweep(db, sweep))) return null;
        return (await sweepNext(db, sweep)) > 0 ? MORE : settleSweep(db, sweep);
      }),
  }));
}

/** Nothing is left for now. Ends the sweep, unless rows that refer to what was removed can still be committed. */
async function settleSweep(db: Db, sweep: TicketSweep): Promise<Next> {
  const found = await lockSweep(db, sweep);
  if (found && !found.isOver) return found.ends_at;
  await deleteSweep(db, sweep);
  return null;
}
