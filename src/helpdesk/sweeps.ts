import type pg from 'pg';
import type { Core } from '../core';
import { BATCH_ROWS, inTurn } from '../db/batches';
import { withTransaction, type Db } from '../db/pool';
import { startRelay, type Relay } from '../temporal/relay';
import {
  claimSweeps,
  insertSweep,
  renewSweep,
  settleSweep,
  sweepNext,
  type TicketSweep,
} from './queries/sweeps';

/** Changes up to a thousand rows in the transaction of the caller; the relay changes the others after it. */
export async function beginSweep(db: Db, sweep: TicketSweep): Promise<void> {
  await insertSweep(db, sweep);
  if ((await sweepNext(db, sweep)) < BATCH_ROWS) await settleSweep(db, sweep);
}

/** The tickets and the messages of a removed member stay, without the member. */
export async function forgetMember(db: Db, projectId: string, memberId: string): Promise<void> {
  for (const kind of ['assignee', 'author'] as const) {
    await beginSweep(db, { kind, id: memberId, project_id: projectId });
  }
}

/**
 * A transaction for each batch, repeatable: what is done is no longer found. It locks the row first, so that a sweep which
 * begins again meanwhile is not taken for the one that has ended.
 */
async function sweepRest(pool: pg.Pool, sweep: TicketSweep): Promise<void> {
  const sweepBatch = () =>
    withTransaction(pool, async (db) => {
      if ((await renewSweep(db, sweep)) === 0) return { isDone: true };
      if ((await sweepNext(db, sweep)) > 0) return { isDone: false };
      await settleSweep(db, sweep);
      return { isDone: true };
    });
  while (!(await inTurn(sweep.project_id, sweepBatch)).isDone);
}

export function startTicketSweeps({ pool, log }: Pick<Core, 'pool' | 'log'>): Relay {
  return startRelay<TicketSweep>({
    name: 'ticket_sweeps',
    sweepMs: 5_000,
    concurrency: 1,
    claim: (limit) => claimSweeps(pool, limit),
    start: (sweep) => sweepRest(pool, sweep),
    log,
  });
}
