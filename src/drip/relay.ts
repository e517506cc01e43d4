import { type Client, type WorkflowOptions } from '@temporalio/client';
import type pg from 'pg';
import type { drip } from '../../workflows/drip';
import { notifyChannels, type Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { searchAttributes, signals, workflowIds, type TaskQueues } from '../temporal/names';
import { startRelay, type Relay } from '../temporal/relay';
import { within } from '../temporal/within';
import { claimWakeUps, markWoken, type DueEnrolment } from './queries/enrolments';

export interface DripRelayDeps {
  pool: pg.Pool;
  log: Logger;
  notifications: Notifications;
  client: Client;
  queues: TaskQueues;
}

const START_LIMIT_MS = 5_000;

/**
 * The only code that starts and signals the workflows of enrolments: after one was begun, cancelled, migrated or may go
 * on, and again two minutes after one was due that has not moved, in case its workflow is gone.
 */
export function startDripRelay({ pool, log, notifications, client, queues }: DripRelayDeps): Relay {
  function optionsFor({ id, project_id, slug, status, next_at }: DueEnrolment) {
    return {
      workflowId: workflowIds.drip(id),
      taskQueue: queues.journeys,
      args: [{ enrolmentId: id }],
      signal: signals.look,
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `drip enrolment of ${slug}`,
      typedSearchAttributes: [
        { key: searchAttributes.ProjectId, value: project_id },
        { key: searchAttributes.State, value: status },
        ...(next_at ? [{ key: searchAttributes.NextAt, value: next_at }] : []),
      ],
    } satisfies WorkflowOptions & { taskQueue: string; args: Parameters<typeof drip>; signal: string };
  }

  return startRelay<DueEnrolment>({
    name: 'drip',
    channel: notifyChannels.drip,
    notifications,
    sweepMs: 1_000,
    concurrency: 8,
    claim: (limit) => claimWakeUps(pool, limit),
    async start(due) {
      await within(client, START_LIMIT_MS, () =>
        client.workflow.signalWithStart<typeof drip>('drip', optionsFor(due)),
      );
      await markWoken(pool, due);
    },
    log,
  });
}
