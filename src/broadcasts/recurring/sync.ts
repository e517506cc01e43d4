import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import type pg from 'pg';
import { withTransaction } from '../../db/pool';
import type { Logger } from '../../lib/log';
import { workflowIds, type TaskQueues } from '../../temporal/names';
import { within } from '../../temporal/within';
import { endIfOver } from './end';
import { LATE_MS, nextRunAfter } from './occurrences';
import { claimedAhead, lockRecurring, markSynced, type RecurringRow } from './queries';
import { syncSchedule, type SyncResult } from './schedule';

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
  await startMissed(deps, row, result === 'same' ? START_MS : 0);
  await markSynced(pool, row);
  return result;
}

function endedNow(pool: pg.Pool, { id, status }: RecurringRow): Promise<boolean> {
  if (status === 'ended') return Promise.resolve(false);
  return withTransaction(pool, async (db) => {
    const row = await lockRecurring(db, id);
    return row !== null && endIfOver(db, row);
  });
}

/**
 * An occurrence may come between the commit of its row and the writing of its schedule, or while the schedule is gone. The
 * row says which ones were due and are not claimed; a backfill starts them, and each is claimed once however often it is
 * started.
 */
async function startMissed(
  { pool, log, client }: SyncDeps,
  row: RecurringRow,
  toleranceMs: number,
): Promise<void> {
  if (row.status !== 'active') return;
  const now = Date.now();
  const since = new Date(Math.max(row.planned_at.getTime(), now - LATE_MS));
  const missed = nextRunAfter(row, since, await claimedAhead(pool, row.id));
  if (!missed || missed.getTime() > now - toleranceMs) return;
  const scheduleId = workflowIds.recurring(row.id);
  log.info({ schedule_id: scheduleId, missed }, 'starting occurrences that the schedule has missed');
  await within(client, SYNC_LIMIT_MS, () =>
    client.schedule.getHandle(scheduleId).backfill({
      start: new Date(missed.getTime() - 1_000),
      end: new Date(now),
      overlap: ScheduleOverlapPolicy.BUFFER_ALL,
    }),
  );
}
