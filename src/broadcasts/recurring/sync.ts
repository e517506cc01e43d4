import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { recurringRun } from '../../../workflows/recurring-run';
import { withTransaction } from '../../db/pool';
import type { Logger } from '../../lib/log';
import { workflowIds, type TaskQueues } from '../../temporal/names';
import { within } from '../../temporal/within';
import { localName } from './cron';
import { dueOccurrences } from './occurrences';
import { claimedAhead, lockRecurring, markSynced, type RecurringRow } from './queries';
import { syncSchedule, type SyncResult } from './schedule';
import { settle } from './settle';

export interface SyncDeps {
  pool: pg.Pool;
  log: Logger;
  client: Client;
  queues: TaskQueues;
}

const SYNC_LIMIT_MS = 10_000;
/** A row older than this should have a schedule. */
const NEW_MS = 60_000;
/** How long the server may take to start an occurrence by itself. */
const START_MS = 30_000;

/** Makes the schedule of a row a copy of it, starts what it has missed, and ends what has no occurrence left. */
export async function syncRow(deps: SyncDeps, row: RecurringRow): Promise<SyncResult> {
  const { pool, log, client, queues } = deps;
  // Ending it raises the revision, so that the next comparison deletes the schedule.
  if (await endedNow(pool, row)) return 'same';
  const result = await within(client, SYNC_LIMIT_MS, () => syncSchedule(client, queues, row));
  const schedule_id = workflowIds.recurring(row.id);
  if (result === 'repaired') log.warn({ schedule_id }, 'a schedule differed from its row and was repaired');
  if (result === 'created' && Date.now() - row.created_at.getTime() > NEW_MS) {
    log.warn({ schedule_id }, 'a schedule was missing and was created from its row');
  }
  await startDue(deps, row, new Date(Date.now() - (result === 'same' ? START_MS : 0)));
  await markSynced(pool, row);
  return result;
}

function endedNow(pool: pg.Pool, { id, status }: RecurringRow): Promise<boolean> {
  if (status === 'ended') return Promise.resolve(false);
  return withTransaction(pool, async (db) => {
    const row = await lockRecurring(db, id);
    return row !== null && settle(db, row);
  });
}

/**
 * Starts a due occurrence that the schedule has not started: it came before the schedule was written or while it was gone, or
 * the server fires a repeated local time only at its second instant, which Herald ignores. The workflow has the id that the
 * schedule would give it, and each occurrence is claimed once however often it is started.
 */
export async function startDue(
  { pool, log, client, queues }: SyncDeps,
  row: RecurringRow,
  now: Date,
): Promise<void> {
  const { current: at } = dueOccurrences(row, now);
  if (!at || (await claimedAhead(pool, row.id)).has(localName(at, row.timezone))) return;
  const workflowId = workflowIds.recurringRunAt(row.id, at);
  log.info({ workflow_id: workflowId }, 'starting an occurrence that the schedule did not start');
  await within(client, SYNC_LIMIT_MS, () =>
    client.workflow.start<typeof recurringRun>('recurringRun', {
      workflowId,
      taskQueue: queues.broadcasts,
      args: [{ recurringId: row.id, scheduledFor: at.toISOString() }],
      staticSummary: 'occurrence, started by the relay',
      // One that runs is left alone; one that was terminated must not block the occurrence.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    }),
  );
}
