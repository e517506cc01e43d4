import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../../../activities';
import { batchKind, startAgenda, type Agenda, type Kind } from '../../base/agenda';
import { broadcastKinds } from '../../domains/broadcasts/kind';
import { recurringKind } from '../../domains/recurring/kind';
import { scheduledKind } from '../../domains/scheduled/kind';
import type { Core } from '../../base/core';
import { dripEntries } from '../../domains/drip/enrol';
import { dripSyncs } from '../../domains/drip/sync';
import { dripKind } from '../../domains/drip/kind';
import { formKind } from '../../domains/forms/kind';
import { eventErasures } from '../../domains/events/eraser';
import { ticketKind } from '../../domains/helpdesk/kind';
import { ticketSweeps } from '../../domains/helpdesk/sweeps';
import { startSessionRelay } from '../../domains/login/relay';
import { createSessionStarter } from '../../domains/login/workflow-client';
import { startRetention } from '../operations/retention';
import { importKind } from '../../domains/subscribers/kind';
import { labelChanges } from '../../domains/subscribers/labels';
import { clientOn, connectNative, type TemporalSettings } from '../../base/temporal/connection';
import type { QueueName } from '../../base/temporal/names';
import { installRuntime, startWorkers } from '../../base/temporal/workers';
import { resumedProjects } from '../../domains/projects/resume';
import { memberNotices } from '../../domains/projects/team/notices';
import { startEndpointAlerts } from '../../domains/webhooks/alerts';
import { createAttempter, type Attempter } from '../../domains/webhooks/attempt';
import { startExpressLane } from '../../domains/webhooks/express-lane';
import { createFastEndpoints } from '../../domains/webhooks/fast-endpoints';
import { startDeliveryRelay } from '../../domains/webhooks/relay';
import { startSearchIndex } from '../../domains/webhooks/search-index';
import { createStartBacklog, type StartBacklog } from '../../domains/webhooks/start-backlog';
import { startDeliverySweep, type DeliverySweep } from '../../domains/webhooks/sweep';

export interface WorkerRoleOptions {
  temporal: TemporalSettings;
  bundlePath: string;
  onFailure: (error: unknown) => void;
  /** The task queues that get a worker. Default: all. */
  queues?: readonly QueueName[] | undefined;
  /** Aborts waiting for the Temporal server. */
  signal?: AbortSignal | undefined;
}

export interface RunningWorkerRole {
  /** On the worker's own connection. */
  client: Client;
  stop(): Promise<void>;
}

const CONNECT_RETRY_MS = 2_000;

/**
 * Runs the workflow and activity workers, the relays that start workflows for committed rows, and the jobs that need only
 * the database. The jobs do not wait for Temporal.
 */
export async function startWorkerRole(core: Core, options: WorkerRoleOptions): Promise<RunningWorkerRole> {
  await installRuntime(core.log);
  const attempter = createAttempter({ allowLocal: core.config.allowLocalWebhooks });
  const agenda = startAgenda(core, kindsOf(core));
  const sweep = startDeliverySweep(core);
  const parts = { attempter, agenda, sweep, backlog: createStartBacklog() };
  const jobs = [...startJobs(core, parts), sweep, agenda];
  try {
    const { client, relays, stopWorkers } = await startOnTemporal(core, parts, options);
    return {
      client,
      async stop() {
        await stopAll([...jobs, ...relays]);
        await stopWorkers();
        await attempter.close();
      },
    };
  } catch (error) {
    await stopAll(jobs);
    await attempter.close();
    throw error;
  }
}

interface Running {
  stop(): Promise<void>;
}

async function stopAll(running: Running[]): Promise<void> {
  await Promise.all(running.map((each) => each.stop()));
}

/** What the jobs that need only the database share with the relays. */
interface Parts {
  attempter: Attempter;
  agenda: Agenda;
  sweep: DeliverySweep;
  backlog: StartBacklog;
}

function startJobs(core: Core, { attempter, sweep, backlog }: Parts): Running[] {
  return [
    // Before the relay of deliveries, which is woken with it: its claim, which an attempt follows at once, is sent first.
    startExpressLane({ ...core, attempter, sweep, backlog }),
    startEndpointAlerts({ ...core, sweep }),
    startSearchIndex({ ...core, sweep }),
    startRetention(core),
  ];
}

/** Kinds of the agenda that need only the database. */
function kindsOf(core: Core): Kind[] {
  const { pool } = core;
  return [
    memberNotices(core),
    ...[
      resumedProjects(pool),
      labelChanges(pool),
      dripEntries(pool),
      dripSyncs(core),
      eventErasures(pool),
      ...ticketSweeps(pool),
    ].map(batchKind),
  ];
}

/** Kinds of the agenda that have a workflow. */
function workflowKindsOf(core: Core): Kind[] {
  const kinds = [ticketKind, scheduledKind, recurringKind, dripKind, formKind, importKind];
  return [...kinds.map((kindOf) => kindOf(core)), ...broadcastKinds(core)];
}

interface RunningOnTemporal {
  client: Client;
  relays: Running[];
  stopWorkers(): Promise<void>;
}

async function startOnTemporal(
  core: Core,
  { attempter, agenda, sweep, backlog }: Parts,
  options: WorkerRoleOptions,
): Promise<RunningOnTemporal> {
  const connection = await connectWhenAvailable(core, options);
  const fastEndpoints = createFastEndpoints();
  const stopping = new AbortController();
  const workers = await startWorkers({
    connection,
    namespace: core.config.TEMPORAL_NAMESPACE,
    queues: core.queues,
    bundlePath: options.bundlePath,
    activities: createActivities({
      ...core,
      attempter,
      fastEndpoints,
      stopping: stopping.signal,
    }),
    cachedWorkflows: core.config.HERALD_CACHED_WORKFLOWS,
    onFailure: options.onFailure,
    only: options.queues,
  });
  // Starts on the worker's own connection can be eager: this process gets the first workflow task directly.
  const client = clientOn(connection, core.config);
  const onWorkerConnection = { ...core, client, eagerClient: () => client };
  const forLogin = { ...onWorkerConnection, pool: core.pools.login };
  const starter = createSessionStarter(forLogin);
  agenda.add(workflowKindsOf(onWorkerConnection));
  const relays = [
    startSessionRelay({ ...forLogin, starter }),
    startDeliveryRelay({ ...onWorkerConnection, sweep, backlog, fastEndpoints }),
  ];
  return {
    client,
    relays,
    async stopWorkers() {
      const stopped = workers.stop();
      // Abort pages only after the workers have stopped polling, so that a page that ends early is not assigned to this
      // process again.
      stopping.abort();
      await stopped;
      await connection.close();
    },
  };
}

/** Retries until the Temporal server is reachable. */
async function connectWhenAvailable(
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
