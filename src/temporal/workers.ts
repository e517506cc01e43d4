import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type LogLevel,
  type NativeConnection,
} from '@temporalio/worker';
import type { DataConverter } from '@temporalio/common';
import { limits } from '../contract/limits';
import { freePort } from '../lib/ports';
import type { Logger } from '../lib/log';
import type { TaskQueues } from './names';

export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  queues: TaskQueues;
  /** The prebuilt bundle of the workflows. */
  bundlePath: string;
  dataConverter: DataConverter;
  /** The activities of each task queue. */
  activities: Record<keyof TaskQueues, object>;
  /** A worker that ends by itself is a fault that the process cannot mend: it is told here. */
  onFailure: (error: unknown) => void;
}

export interface RunningWorkers {
  stop(): Promise<void>;
}

/** Longer than a webhook attempt, so that a stopping worker finishes the attempts in flight. */
const SHUTDOWN_GRACE = `${limits.webhookAttemptSeconds + 5} seconds` as const;

/** Where Temporal's core shows its own metrics, on loopback; null in a process without workers. */
let coreMetricsUrl: string | null = null;
let installed: Promise<void> | undefined;

/**
 * Before the process's first native connection: Temporal's core logs through ours, counts for our metrics, and leaves
 * the signals of the process to main. The core ends with its last connection and is then made again as it was.
 */
export function installRuntime(log: Logger): Promise<void> {
  return (installed ??= install(log));
}

async function install(log: Logger): Promise<void> {
  const metricsAddress = `127.0.0.1:${await freePort()}`;
  const levels: Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'> = {
    TRACE: 'trace',
    DEBUG: 'debug',
    // The SDK's info is our debug: it reports each worker's every state.
    INFO: 'debug',
    WARN: 'warn',
    ERROR: 'error',
  };
  Runtime.install({
    shutdownSignals: [],
    // The native part writes to standard output by itself otherwise, which belongs to `--json`.
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

/** The metrics of Temporal's core as it writes them, empty while it is not there. */
export async function coreMetrics(): Promise<string> {
  if (coreMetricsUrl === null) return '';
  try {
    const response = await fetch(coreMetricsUrl, { signal: AbortSignal.timeout(CORE_METRICS_LIMIT_MS) });
    return response.ok ? await response.text() : '';
  } catch {
    return '';
  }
}

/** One worker for each kind of work, on its own task queue: a flood of one kind cannot starve another. */
export async function startWorkers(options: WorkersOptions): Promise<RunningWorkers> {
  const { connection, namespace, queues, bundlePath, dataConverter, activities, onFailure } = options;
  const create = (taskQueue: string, own: object, activitySlots: number) =>
    Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle: { codePath: bundlePath },
      dataConverter,
      activities: own,
      shutdownGraceTime: SHUTDOWN_GRACE,
      maxConcurrentActivityTaskExecutions: activitySlots,
      workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
      activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
    });
  const workers = await Promise.all([
    create(queues.logins, activities.logins, 50),
    // Each holds a socket and little else, and a hanging endpoint holds twenty: enough for fifty of those.
    create(queues.deliveries, activities.deliveries, 1_000),
    create(queues.broadcasts, activities.broadcasts, 20),
  ]);
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
