import { type Client, type WorkflowOptions } from '@temporalio/client';
import type pg from 'pg';
import type { scheduled } from '../../../workflows/scheduled';
import { notifyChannels, type Notifications } from '../../db/notify';
import type { Logger } from '../../lib/log';
import { searchAttributes, signals, workflowIds, type TaskQueues } from '../../temporal/names';
import { startRelay, type Relay } from '../../temporal/relay';
import { within } from '../../temporal/within';
import { claimWakeUps, markWoken, type DueScheduled } from './queries';

export interface ScheduledRelayDeps {
  pool: pg.Pool;
  log: Logger;
  notifications: Notifications;
  client: Client;
  queues: TaskQueues;
}

const START_LIMIT_MS = 5_000;

/**
 * The only code that starts and signals the workflows of scheduled entries: after an entry was created, changed or
 * cancelled, and again two minutes after one was due that has not ended, in case its workflow is gone.
 */
export function startScheduledRelay({ pool, log, notifications, client, queues }: ScheduledRelayDeps): Relay {
  function optionsFor({ id, project_id, status, next_at }: DueScheduled) {
    return {
      workflowId: workflowIds.scheduled(id),
      taskQueue: queues.journeys,
      args: [{ scheduledId: id }],
      signal: signals.look,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: 'scheduled message',
      typedSearchAttributes: [
        { key: searchAttributes.ProjectId, value: project_id },
        { key: searchAttributes.State, value: status },
        ...(next_at ? [{ key: searchAttributes.NextAt, value: next_at }] : []),
      ],
    } satisfies WorkflowOptions & { taskQueue: string; args: Parameters<typeof scheduled>; signal: string };
  }

  return startRelay<DueScheduled>({
    name: 'scheduled',
    channel: notifyChannels.scheduled,
    notifications,
    sweepMs: 1_000,
    concurrency: 8,
    claim: (limit) => claimWakeUps(pool, limit),
    async start(due) {
      await within(client, START_LIMIT_MS, () =>
        client.workflow.signalWithStart<typeof scheduled>('scheduled', optionsFor(due)),
      );
      await markWoken(pool, due);
    },
    log,
  });
}
