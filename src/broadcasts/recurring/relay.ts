import { notifyChannels, type Notifications } from '../../db/notify';
import { startRelay, type Relay } from '../../temporal/relay';
import { claimSyncs, type RecurringRow } from './queries';
import { syncRow, type SyncDeps } from './sync';

export interface RecurringRelayDeps extends SyncDeps {
  notifications: Notifications;
}

/**
 * Writes Temporal Schedules after their rows have changed, and compares each with its row every minute: one that was
 * deleted, paused or changed by hand, or lost with Temporal's store, is repaired.
 */
export function startRecurringRelay({ notifications, ...deps }: RecurringRelayDeps): Relay {
  return startRelay<RecurringRow>({
    name: 'recurring',
    channel: notifyChannels.recurring,
    notifications,
    sweepMs: 1_000,
    concurrency: 4,
    claim: (limit) => claimSyncs(deps.pool, limit),
    start: async (row) => void (await syncRow(deps, row)),
    log: deps.log,
  });
}
