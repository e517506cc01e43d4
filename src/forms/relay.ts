import type { form } from '../../workflows/form';
import type { Core } from '../core';
import { notifyChannels } from '../db/notify';
import { workflowIds } from '../temporal/names';
import type { Relay } from '../temporal/relay';
import { startWakeUpRelay } from '../temporal/wake-up-relay';
import { claimWakeUps, markWoken, type DueSubmission } from './queries/submissions';

type FormRelayDeps = Pick<Core, 'pool' | 'log' | 'notifications' | 'client' | 'queues'>;

/**
 * The only code that starts the workflows of submissions: after the commit of one that takes routes, and again two
 * minutes after one was due that has not moved, in case its workflow is gone.
 */
export function startFormRelay({ pool, queues, ...deps }: FormRelayDeps): Relay {
  return startWakeUpRelay<DueSubmission, typeof form>({
    ...deps,
    name: 'forms',
    channel: notifyChannels.forms,
    workflow: 'form',
    taskQueue: queues.campaigns,
    workflowId: workflowIds.form,
    args: ({ id }) => [{ submissionId: id }],
    summary: ({ slug }) => `submission of a form of ${slug}`,
    claim: (limit) => claimWakeUps(pool, limit),
    mark: (due) => markWoken(pool, due),
  });
}
