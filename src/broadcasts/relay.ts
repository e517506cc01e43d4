import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { broadcast } from '../../workflows/broadcast';
import { notifyChannels, type Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { startJobRelay } from '../temporal/job-relay';
import { workflowIds, type TaskQueues } from '../temporal/names';
import type { Relay } from '../temporal/relay';
import { claimDueBroadcasts, extendBroadcastLease, type DueBroadcast } from './queries/broadcasts';

export interface BroadcastRelayDeps {
  pool: pg.Pool;
  log: Logger;
  notifications: Notifications;
  client: Client;
  queues: TaskQueues;
}

/**
 * The only code that starts broadcast workflows. A broadcast is due when it is new, and again when no worker has
 * extended its lease for two minutes.
 */
export function startBroadcastRelay({ pool, log, notifications, client, queues }: BroadcastRelayDeps): Relay {
  return startJobRelay<DueBroadcast, typeof broadcast>({
    name: 'broadcasts',
    channel: notifyChannels.broadcast,
    notifications,
    client,
    log,
    workflow: 'broadcast',
    taskQueue: queues.broadcasts,
    workflowId: ({ id, kind }) => workflowIds[kind](id),
    args: ({ id }) => [{ jobId: id }],
    summary: ({ kind, total, project_slug }) =>
      `${kind === 'batch' ? `batch of ${total} messages` : `broadcast to ${total} subscribers`} (${project_slug})`,
    // It may wait for hours until its next recipient is due.
    isChanged: ({ status }) => status === 'cancelling',
    claim: (limit) => claimDueBroadcasts(pool, limit),
    extendLease: (id) => extendBroadcastLease(pool, id),
  });
}
