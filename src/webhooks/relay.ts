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
import type { Config } from '../config';
import { claimStarts, markStarted, type DueStart } from './queries/starts';
import { notifyChannels, type Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import type { deliverWebhook } from '../../workflows/deliver-webhook';
import { retryingAttributes } from './retrying-attributes';
import type { QuickEndpoints } from './fast-endpoints';
import type { SlowEndpoints } from './slow-endpoints';
import { createDueNoticeReader } from './due-notice';
import { searchAttributes, signals, workflowIds, type TaskQueues } from '../temporal/names';
import { startRelay, type Relay } from '../temporal/relay';

export interface DeliveryRelayDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_RETRY_SCALE'>;
  log: Logger;
  notifications: Notifications;
  /** On the worker's own connection, so that a start can hand its first task straight to this process. */
  client: Client;
  queues: TaskQueues;
  quickEndpoints: Pick<QuickEndpoints, 'isQuick'>;
  slowEndpoints: Pick<SlowEndpoints, 'allowances' | 'begun' | 'heldBackMs'>;
}

/** Sixteen starts in flight were measured to be better than sixty-four, which made the server time out. */
const CONCURRENCY = 16;
const SWEEP_MS = 1_000;
const START_LIMIT_MS = 5_000;

/** The one path on which deliveries reach Temporal: first starts, retries, resumptions, cancels and recoveries. */
export function startDeliveryRelay({
  pool,
  config,
  log,
  notifications,
  client,
  queues,
  quickEndpoints,
  slowEndpoints,
}: DeliveryRelayDeps): Relay {
  function optionsFor(delivery: DueStart) {
    const { handed_over: handedOver } = delivery;
    const retrying = handedOver
      ? retryingAttributes(delivery.attempts, handedOver, handedOver.nextAttemptAt).filter(hasValue)
      : [];
    return {
      taskQueue: queues.deliveries,
      workflowId: workflowIds.delivery(delivery.id),
      args: [
        {
          deliveryId: delivery.id,
          attempts: delivery.attempts,
          unitMs: 1_000 * config.HERALD_RETRY_SCALE,
          ...(quickEndpoints.isQuick(delivery.endpoint_id) ? { quick: true } : {}),
          ...(handedOver ? { handedOver } : {}),
        },
      ],
      typedSearchAttributes: [
        { key: searchAttributes.ProjectId, value: delivery.project_id },
        { key: searchAttributes.EndpointId, value: delivery.endpoint_id },
        { key: searchAttributes.EventName, value: delivery.event_name },
        ...retrying,
      ],
      staticSummary: delivery.event_name,
      staticDetails: `Event ${delivery.event_id} for endpoint ${delivery.endpoint_id} of project ${delivery.project_id}.`,
      // A task that is lost with the response of an eager start waits this long.
      workflowTaskTimeout: '5 seconds',
    } satisfies WorkflowOptions & { taskQueue: string; args: Parameters<typeof deliverWebhook> };
  }

  async function firstStart(delivery: DueStart): Promise<void> {
    try {
      await client.workflow.start<typeof deliverWebhook>('deliverWebhook', {
        ...optionsFor(delivery),
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
        requestEagerStart: true,
      });
    } catch (error) {
      // It was started before and has even ended: what was to be done is done.
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    }
  }

  async function wakeOrStart(delivery: DueStart): Promise<void> {
    await client.workflow.signalWithStart<typeof deliverWebhook, []>('deliverWebhook', {
      ...optionsFor(delivery),
      workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
      signal: signals.look,
    });
  }

  async function tellOfCancel(delivery: DueStart): Promise<void> {
    try {
      await client.workflow.getHandle(workflowIds.delivery(delivery.id)).signal(signals.look);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  }

  async function start(delivery: DueStart): Promise<void> {
    const act = delivery.status === 'cancelled' ? tellOfCancel : delivery.known ? wakeOrStart : firstStart;
    await client.withDeadline(Date.now() + START_LIMIT_MS, () => act(delivery));
    await markStarted(pool, delivery);
  }

  let slotlessFirst = false;
  return startRelay<DueStart>({
    name: 'deliveries',
    channel: notifyChannels.delivery,
    canWait: createDueNoticeReader('workflow', slowEndpoints),
    notifications,
    sweepMs: SWEEP_MS,
    concurrency: CONCURRENCY,
    async claim(limit, look) {
      slotlessFirst = !slotlessFirst;
      const starts = await claimStarts(pool, limit, {
        allowances: slowEndpoints.allowances(look),
        slotlessFirst,
      });
      for (const { endpoint_id, has_slot } of starts) if (has_slot) slowEndpoints.begun(endpoint_id);
      return starts;
    },
    start,
    log,
  });
}

function hasValue(pair: SearchAttributeUpdatePair): pair is SearchAttributePair {
  return pair.value !== null;
}
