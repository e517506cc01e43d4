import type { scheduled } from '../../../workflows/scheduled';
import type { Core } from '../../core';
import { notifyChannels } from '../../db/notify';
import { workflowIds } from '../../temporal/names';
import type { Relay } from '../../temporal/relay';
import { startWakeUpRelay } from '../../temporal/wake-up-relay';
import { claimWakeUps, markWoken, type DueScheduled } from './queries';

type ScheduledRelayDeps = Pick<Core, 'pool' | 'log' | 'notifications' | 'client' | 'queues'>;

/**
 * The only code that starts and signals the workflows of scheduled entries: after an entry was created, changed or
 * cancelled, and again two minutes after one was due that has not ended, in case its workflow is gone.
 */
export function startScheduledRelay({ pool, queues, ...deps }: ScheduledRelayDeps): Relay {
  return startWakeUpRelay<DueScheduled, typeof scheduled>({
    ...deps,
    name: 'scheduled',
    channel: notifyChannels.scheduled,
    workflow: 'scheduled',
    taskQueue: queues.campaigns,
    workflowId: workflowIds.scheduled,
    args: ({ id }) => [{ scheduledId: id }],
    summary: () => 'scheduled message',
    claim: (limit) => claimWakeUps(pool, limit),
    mark: (due) => markWoken(pool, due),
  });
}
