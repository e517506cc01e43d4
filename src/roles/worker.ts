import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../../activities';
import type { Core } from '../core';
import { startSessionRelay } from '../login/relay';
import { createSessionStarter } from '../login/workflow';
import { startBroadcastRelay } from '../broadcasts/relay';
import { clientOn, connectNative, type TemporalSettings } from '../temporal/connection';
import { createDataConverter } from '../temporal/data-converter';
import { startDeliveryReconciler } from '../webhooks/reconciler';
import { startDeliveryRelay } from '../webhooks/relay';
import { startExpressLane } from '../webhooks/express-lane';
import { installRuntime, startWorkers } from '../temporal/workers';
import { createAttempter } from '../webhooks/attempt';
import { createFastEndpoints } from '../webhooks/fast-endpoints';
import { startRetention } from '../operations/retention';

export interface WorkerRoleOptions {
  temporal: TemporalSettings;
  bundlePath: string;
  onFailure: (error: unknown) => void;
  /** Ends the wait for a Temporal server that is away. */
  signal?: AbortSignal | undefined;
}

export interface RunningWorkerRole {
  stop(): Promise<void>;
}

const CONNECT_RETRY_MS = 2_000;

/** The hand and the clock: workflow and activity workers, and the relays that carry committed rows to Temporal. */
export async function startWorkerRole(core: Core, options: WorkerRoleOptions): Promise<RunningWorkerRole> {
  await installRuntime(core.log);
  const connection = await connectWhenThere(core, options);
  const attempter = createAttempter({ allowLocal: core.config.allowLocalWebhooks });
  const fastEndpoints = createFastEndpoints();
  const stopping = new AbortController();
  const workers = await startWorkers({
    connection,
    namespace: core.config.TEMPORAL_NAMESPACE,
    queues: core.queues,
    bundlePath: options.bundlePath,
    dataConverter: createDataConverter(core.config.HERALD_PAYLOAD_KEYS),
    activities: createActivities({
      ...core,
      attempter,
      fastEndpoints,
      stopping: stopping.signal,
    }),
    onFailure: options.onFailure,
  });
  // On the worker's own connection a start can hand its first task straight to this process.
  const withOwnClient = { ...core, client: clientOn(connection, core.config) };
  const helpers = [
    startSessionRelay({ ...withOwnClient, starter: createSessionStarter(withOwnClient) }),
    startDeliveryRelay({ ...withOwnClient, fastEndpoints }),
    startBroadcastRelay(withOwnClient),
    startExpressLane({ ...core, attempter }),
    startDeliveryReconciler(withOwnClient),
    startRetention(core),
  ];
  return {
    async stop() {
      await Promise.all(helpers.map((helper) => helper.stop()));
      const stopped = workers.stop();
      // Now that no worker takes anything new: a page that ends early must not be handed to this process again.
      stopping.abort();
      await stopped;
      await attempter.close();
      await connection.close();
    },
  };
}

/** A Temporal server that is away at the start comes back sooner or later; the worker waits for it. */
async function connectWhenThere(
  core: Core,
  { temporal, signal }: WorkerRoleOptions,
): Promise<NativeConnection> {
  for (;;) {
    try {
      return await connectNative(temporal);
    } catch (err) {
      core.log.warn({ err }, 'cannot reach Temporal; retrying');
      await sleep(CONNECT_RETRY_MS, undefined, { signal });
    }
  }
}
