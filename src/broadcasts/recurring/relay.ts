import type { recurring } from '../../../workflows/recurring';
import type { Core } from '../../core';
import { notifyChannels } from '../../db/notify';
import { workflowIds } from '../../temporal/names';
import type { Relay } from '../../temporal/relay';
import { startWakeUpRelay } from '../../temporal/wake-up-relay';
import { claimWakeUps, markWoken, type DueRecurring } from './queries';

type RecurringRelayDeps = Pick<Core, 'pool' | 'log' | 'notifications' | 'client' | 'queues'>;

/**
 * The only code that starts and signals the workflows of recurring messages: after a request has written the row, and
 * again two minutes after an occurrence that has not been claimed, in case the workflow is gone.
 */
export function startRecurringRelay({ pool, queues, ...deps }: RecurringRelayDeps): Relay {
  return startWakeUpRelay<DueRecurring, typeof recurring>({
    ...deps,
    name: 'recurring',
    channel: notifyChannels.recurring,
    workflow: 'recurring',
    taskQueue: queues.broadcasts,
    workflowId: workflowIds.recurring,
    args: ({ id }) => [{ recurringId: id }],
    summary: () => 'recurring message',
    claim: (limit) => claimWakeUps(pool, limit),
    mark: (due) => markWoken(pool, due),
  });
}
