import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
  WorkflowNotFoundError,
  type Client,
  type WorkflowOptions,
} from '@temporalio/client';
import type { SearchAttributePair, SearchAttributeUpdatePair } from '@temporalio/common';
import type pg from 'pg';
import type { Config } from '../../base/config';
import { notifyChannels, type Notifications } from '../../base/db/notify';
import { createJob } from '../../base/lib/periodic-job';
import type { Logger } from '../../base/lib/log';
import { deleteFailedRun } from '../../base/temporal/delete-failed-run';
import { searchAttributes, signals, workflowIds, type TaskQueues } from '../../base/temporal/names';
import { startRelay, type Relay } from '../../base/temporal/relay';
import { createStartWindow } from '../../base/temporal/start-window';
import { START_LIMIT_MS } from '../../base/temporal/within';
import type { FastEndpoints } from './fast-endpoints';
import { claimSlotless, claimStarts, type DueStart } from './queries/claim';
import { restartOverdue } from './queries/deliveries';
import { removeSlotless, shortenStartLease } from './queries/queue';
import { retryingAttributes } from './retrying-attributes';
import type { StartBacklog } from './start-backlog';
import type { DeliverySweep } from './sweep';
import { channelsOf } from './wake-lanes';
import type { DeliverWebhookWorkflow } from './workflow-input';

export interface DeliveryRelayDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_DELIVERY_LANE'>;
  log: Logger;
  notifications: Notifications;
  sweep: Pick<DeliverySweep, 'on'>;
  backlog: StartBacklog;
  /** On the worker's own connection, so that a start can hand its first task straight to this process. */
  client: Client;
  queues: TaskQueues;
  fastEndpoints: Pick<FastEndpoints, 'isFast'>;
}

/**
 * Sixteen starts in flight were measured to be better than sixty-four, which made the server time out. When it is slow, the
 * relay leaves it to the logins and has one in flight.
 */
const CONCURRENCY = { min: 1, max: 16 };
/** Starts and signals without an attempt have places of their own, so that neither kind waits behind the other. */
const SLOTLESS_CONCURRENCY = { min: 1, max: 8 };
/** A server that keeps up starts a workflow in some tens of milliseconds. A login takes several such steps. */
const SLOW_START_MS = 60;
const OVERDUE_BATCH = 100;
/** Characters of an endpoint's path in the Temporal UI: the server bounds a summary. */
const SHOWN_PATH = 100;

/**
 * The one path on which deliveries reach Temporal: first starts, retries, resumes, cancels, recoveries, continuations of a failed
 * first attempt of the express lane, and overdue deliveries, whose workflow may be lost.
 */
export function startDeliveryRelay({
  pool,
  config,
  log,
  notifications,
  sweep,
  backlog,
  client,
  queues,
  fastEndpoints,
}: DeliveryRelayDeps): Pick<Relay, 'stop'> {
  function optionsFor(delivery: DueStart) {
    const { after_express: afterExpress } = delivery;
    const { host, pathname } = new URL(delivery.url);
    const retrying = afterExpress
      ? retryingAttributes(delivery.attempts, afterExpress, afterExpress.nextAttemptAt).filter(hasValue)
      : [];
    return {
      taskQueue: queues.deliveries,
      workflowId: workflowIds.delivery(delivery.id),
      args: [
        {
          deliveryId: delivery.id,
          attempts: delivery.attempts,
          ...(fastEndpoints.isFast(delivery.endpoint_id) ? { fast: true } : {}),
          ...(afterExpress ? { afterExpress } : {}),
        },
      ],
      typedSearchAttributes: [
        { key: searchAttributes.ProjectId, value: delivery.project_id },
        { key: searchAttributes.EndpointId, value: delivery.endpoint_id },
        { key: searchAttributes.EventName, value: delivery.event_name },
        ...retrying,
      ],
      // The path first: all endpoints of a customer share the host.
      staticSummary: `${delivery.event_name} ${pathname.slice(0, SHOWN_PATH)} at ${host} (${delivery.project_slug})`,
      staticDetails: `Project ${delivery.project_slug} sends ${delivery.event_name} to ${host}. Attempts and responses: herald deliveries show ${delivery.id}`,
      // A task that is lost with the response of an eager start waits this long.
      workflowTaskTimeout: '5 seconds',
    } satisfies WorkflowOptions & { taskQueue: string; args: Parameters<DeliverWebhookWorkflow> };
  }

  async function firstStart(delivery: DueStart): Promise<void> {
    try {
      await client.workflow.start<DeliverWebhookWorkflow>('deliverWebhook', {
        ...optionsFor(delivery),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        requestEagerStart: true,
      });
    } catch (error) {
      // It was started before and has even ended.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  async function signalOrStart(delivery: DueStart): Promise<void> {
    // Before the start: after a crash the delivery is still queued, and both are done again.
    if (delivery.requested) await deleteFailedRun(client, workflowIds.delivery(delivery.id));
    await client.workflow.signalWithStart<DeliverWebhookWorkflow, []>('deliverWebhook', {
      ...optionsFor(delivery),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      signal: signals.changed,
    });
  }

  async function signalCancel(delivery: DueStart): Promise<void> {
    try {
      await client.workflow.getHandle(workflowIds.delivery(delivery.id)).signal(signals.changed);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  async function start(delivery: DueStart): Promise<void> {
    const act = delivery.status === 'cancelled' ? signalCancel : delivery.known ? signalOrStart : firstStart;
    try {
      await client.withDeadline(Date.now() + START_LIMIT_MS, () => act(delivery));
      backlog.noteStart(false);
    } catch (error) {
      backlog.noteStart(true);
      await shortenStartLease(pool, delivery.id);
      throw error;
    }
  }

  const starts = createStartWindow({ ...CONCURRENCY, slowMs: SLOW_START_MS });
  const slotlessStarts = createStartWindow({ ...SLOTLESS_CONCURRENCY, slowMs: SLOW_START_MS });
  const relays = {
    // The workflow claims its attempt, which ends the relay's lease.
    attempts: startRelay<DueStart>({
      name: 'deliveries',
      channel: channelsOf('workflow', config.HERALD_DELIVERY_LANE),
      notifications,
      log,
      concurrency: starts.size,
      async claim(limit) {
        const isBehind = backlog.isBehind();
        const due = await claimStarts(pool, { limit, defaultLane: config.HERALD_DELIVERY_LANE, isBehind });
        backlog.noteClaim(due.length === limit);
        return due;
      },
      start: (delivery) => starts.measure(() => start(delivery)),
    }),
    signals: startRelay<DueStart>({
      name: 'delivery_states',
      channel: notifyChannels.workflowLane,
      notifications,
      log,
      concurrency: slotlessStarts.size,
      claim: (limit) => claimSlotless(pool, limit),
      async start(delivery) {
        await slotlessStarts.measure(() => start(delivery));
        await removeSlotless(pool, delivery);
      },
    }),
  };
  const overdue = createJob({
    run: () => restartOverdue(pool, OVERDUE_BATCH),
    log,
    failure: 'overdue deliveries could not be queued',
  });
  sweep.on('attempts', () => relays.attempts.wake());
  sweep.on('signals', () => relays.signals.wake());
  sweep.on('overdue', () => overdue.wake());
  return {
    async stop() {
      await Promise.all([relays.attempts, relays.signals, overdue].map((each) => each.stop()));
    },
  };
}

function hasValue(pair: SearchAttributeUpdatePair): pair is SearchAttributePair {
  return pair.value !== null;
}
