import { type Client, type WorkflowOptions } from '@temporalio/client';
import type pg from 'pg';
import type { broadcast } from '../../workflows/broadcast';
import { notifyChannels, type Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { searchAttributes, workflowIds, type TaskQueues } from '../temporal/names';
import { startRelay, type Relay } from '../temporal/relay';
import { within } from '../temporal/within';
import { claimDueBroadcasts, extendBroadcastLease, type DueBroadcast } from './queries/broadcasts';

export interface BroadcastRelayDeps {
  pool: pg.Pool;
  log: Logger;
  notifications: Notifications;
  client: Client;
  queues: TaskQueues;
}

const START_LIMIT_MS = 5_000;

/**
 * The only code that starts broadcast workflows. A broadcast is due when it is new, and again when no worker has
 * extended its lease for two minutes: the start then finds the workflow running, or replaces one that has ended.
 */
export function startBroadcastRelay({ pool, log, notifications, client, queues }: BroadcastRelayDeps): Relay {
  function optionsFor({ id, kind, project_id, project_slug, total }: DueBroadcast) {
    const what = kind === 'batch' ? `batch of ${total} messages` : `broadcast to ${total} subscribers`;
    return {
      workflowId: workflowIds[kind](id),
      taskQueue: queues.broadcasts,
      args: [{ jobId: id }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `${what} (${project_slug})`,
      typedSearchAttributes: [{ key: searchAttributes.ProjectId, value: project_id }],
    } satisfies WorkflowOptions & { taskQueue: string; args: Parameters<typeof broadcast> };
  }

  return startRelay<DueBroadcast>({
    name: 'broadcasts',
    channel: notifyChannels.broadcast,
    notifications,
    sweepMs: 1_000,
    concurrency: 4,
    claim: (limit) => claimDueBroadcasts(pool, limit),
    async start(due) {
      await within(client, START_LIMIT_MS, () =>
        client.workflow.start<typeof broadcast>('broadcast', optionsFor(due)),
      );
      await extendBroadcastLease(pool, due.id);
    },
    log,
  });
}
