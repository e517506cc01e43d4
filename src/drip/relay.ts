import type { drip } from '../../workflows/drip';
import type { Core } from '../core';
import { notifyChannels } from '../db/notify';
import { workflowIds } from '../temporal/names';
import type { Relay } from '../temporal/relay';
import { startWakeUpRelay } from '../temporal/wake-up-relay';
import { claimWakeUps, markWoken, type DueEnrolment } from './queries/enrolments';

type DripRelayDeps = Pick<Core, 'pool' | 'log' | 'notifications' | 'client' | 'queues'>;

/**
 * The only code that starts the workflows of enrolments, and wakes them: after one was begun, cancelled, migrated or may
 * go on, and again two minutes after one was due that has not moved, in case its workflow is gone.
 */
export function startDripRelay({ pool, queues, ...deps }: DripRelayDeps): Relay {
  return startWakeUpRelay<DueEnrolment, typeof drip>({
    ...deps,
    name: 'drip',
    channel: notifyChannels.drip,
    workflow: 'drip',
    taskQueue: queues.campaigns,
    workflowId: workflowIds.drip,
    args: ({ id }) => [{ enrolmentId: id }],
    summary: ({ slug }) => `drip enrolment of ${slug}`,
    claim: (limit) => claimWakeUps(pool, limit),
    mark: (due) => markWoken(pool, due),
  });
}
