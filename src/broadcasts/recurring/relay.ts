import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { notifyChannels, type Notifications } from '../../db/notify';
import { withTransaction } from '../../db/pool';
import type { Logger } from '../../lib/log';
import { workflowIds, type TaskQueues } from '../../temporal/names';
import { startRelay, type Relay } from '../../temporal/relay';
import { within } from '../../temporal/within';
import { nextRunAfter } from './occurrences';
import { claimSyncs, endRecurring, lockRecurring, markSynced, type RecurringRow } from './queries';
import { syncSchedule } from './schedule';

export interface RecurringRelayDeps {
  pool: pg.Pool;
  log: Logger;
  notifications: Notifications;
  client: Client;
  queues: TaskQueues;
}

const SYNC_LIMIT_MS = 10_000;

/**
 * Writes Temporal Schedules after their rows have changed, and compares each with its row every minute: one that was
 * deleted, paused or changed by hand, or lost with Temporal's store, is repaired. Ends what has no occurrence left.
 */
export function startRecurringRelay({ pool, log, notifications, client, queues }: RecurringRelayDeps): Relay {
  return startRelay<RecurringRow>({
    name: 'recurring',
    channel: notifyChannels.recurring,
    notifications,
    sweepMs: 1_000,
    concurrency: 4,
    claim: (limit) => claimSyncs(pool, limit),
    async start(row) {
      // Ending it raises the revision, so that the next claim deletes the schedule.
      if (await endIfOver(pool, row)) return;
      const result = await within(client, SYNC_LIMIT_MS, () => syncSchedule(client, queues, row));
      if (result === 'repaired') {
        log.warn(
          { schedule_id: workflowIds.recurring(row.id) },
          'a schedule differed from its row and was repaired',
        );
      }
      await markSynced(pool, row);
    },
    log,
  });
}

function endIfOver(pool: pg.Pool, { id, status }: RecurringRow): Promise<boolean> {
  if (status === 'ended') return Promise.resolve(false);
  return withTransaction(pool, async (db) => {
    const row = await lockRecurring(db, id);
    // A run that is a little late still counts.
    if (!row || row.status === 'ended' || nextRunAfter(row, new Date(row.now.getTime() - 3_600_000))) {
      return false;
    }
    await endRecurring(db, id, { deleted: false });
    return true;
  });
}
