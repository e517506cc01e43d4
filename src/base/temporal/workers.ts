import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  type LogLevel,
  type NativeConnection,
} from '@temporalio/worker';
import { limits } from '../contract/limits';
import type { Logger } from '../lib/log';
import { freePort } from '../lib/ports';
import type { QueueName, TaskQueues } from './names';
import { onOneThread } from './workflow-thread';

export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  queues: TaskQueues;
  /** The prebuilt bundle of the workflows. */
  bundlePath: string;
  /** The activities of each task queue. */
  activities: Record<QueueName, object>;
  /** Workflows that the process keeps in memory, all workers together. */
  cachedWorkflows: number;
  /** The queues that get a worker. Default: all. */
  only?: readonly QueueName[] | undefined;
  /** Called when a worker stops unexpectedly, from which the process cannot recover. */
  onFailure: (error: unknown) => void;
}

export interface RunningWorkers {
  stop(): Promise<void>;
}

/** Longer than a webhook attempt, so that a stopping worker finishes the attempts in flight. */
const SHUTDOWN_GRACE = `${limits.webhookAttemptSeconds + 5} seconds` as const;

/** The loopback URL of Temporal core's metrics; null in a process without workers. */
let coreMetricsUrl: string | null = null;
let installed: Promise<void> | undefined;

/**
 * Must run before the process's first native connection. Routes Temporal core's logs and metrics to ours and leaves
 * signal handling to main. The core stops with its last connection and is recreated with the same options.
 */
export function installRuntime(log: Logger): Promise<void> {
  return (installed ??= install(log));
}

async function install(log: Logger): Promise<void> {
  const metricsAddress = `127.0.0.1:${await freePort()}`;
  const levels: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
    TRACE: 'trace',
    DEBUG: 'debug',
    // The SDK's info level is too verbose: it reports every state change of each worker.
    INFO: 'debug',
    WARN: 'warn',
    ERROR: 'error',
  };
  Runtime.install({
    shutdownSignals: [],
    // Otherwise the native core logs to standard output, which is reserved for `--json`.
    telemetryOptions: {
      logging: { filter: makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' }), forward: {} },
      metrics: {
        prometheus: {
          bindAddress: metricsAddress,
          countersTotalSuffix: true,
          unitSuffix: true,
          useSecondsForDurations: true,
        },
      },
    },
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const { error, ...rest } = (meta ?? {}) as Record<string, unknown>;
      log[levels[level]]({ temporal: rest, ...(error ? { err: error } : {}) }, message);
    }),
  });
  coreMetricsUrl = `http://${metricsAddress}/metrics`;
}

const CORE_METRICS_LIMIT_MS = 2_000;

/** Temporal core's metrics in Prometheus format; empty if it is not running. */
export async function coreMetrics(): Promise<string> {
  if (coreMetricsUrl === null) return '';
  try {
    const response = await fetch(coreMetricsUrl, { signal: AbortSignal.timeout(CORE_METRICS_LIMIT_MS) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}

/** How many activities of a queue run at once. */
const ACTIVITY_SLOTS: Record<QueueName, number> = {
  logins: 50,
  // An attempt costs little more than a socket, and a hanging endpoint holds twenty: enough for fifty of them.
  deliveries: 1_000,
  // A page mostly waits for its turns: enough that one project's broadcasts do not keep another's from starting.
  broadcasts: 100,
  campaigns: 50,
};

/**
 * How the workflows that a process keeps in memory are divided, in percent. Most are sessions, which wait for a tap, and
 * deliveries between two attempts. Scheduled rows sleep so long that few are worth keeping. A broadcast or an import is a single
 * workflow.
 */
const CACHE_SHARE: Record<QueueName, number> = { logins: 45, deliveries: 35, broadcasts: 5, campaigns: 15 };

export function cacheSize(queue: QueueName, total: number): number {
  return Math.floor((total * CACHE_SHARE[queue]) / 100);
}

/** Starts one worker per task queue, so that a burst of one kind of work leaves slots and polls for the others. */
export async function startWorkers(options: WorkersOptions): Promise<RunningWorkers> {
  const { connection, namespace, queues, bundlePath, activities, cachedWorkflows, onFailure } = options;
  const names = options.only ?? (Object.keys(queues) as QueueName[]);
  const Worker = onOneThread(
    names.length,
    names.map((queue) => activities[queue]),
  );
  const create = (queue: QueueName) =>
    Worker.create({
      connection,
      namespace,
      taskQueue: queues[queue],
      workflowBundle: { codePath: bundlePath },
      activities: activities[queue],
      shutdownGraceTime: SHUTDOWN_GRACE,
      maxCachedWorkflows: cacheSize(queue, cachedWorkflows),
      maxConcurrentActivityTaskExecutions: ACTIVITY_SLOTS[queue],
      workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
      activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
    });
  const workers = await Promise.all(names.map(create));
  const runs = workers.map((worker) => worker.run().catch(onFailure));
  return {
    async stop() {
      for (const worker of workers) {
        if (worker.getState() === 'RUNNING') worker.shutdown();
      }
      await Promise.all(runs);
    },
  };
}
