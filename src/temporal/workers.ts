import {
  DefaultLogger,
  makeTelemetryFilterString,
  Runtime,
  Worker,
  type LogLevel,
  type NativeConnection,
} from '@temporalio/worker';
import type { Activities } from '../../activities';
import type { Logger } from '../log';
import type { TaskQueues } from './names';

export interface WorkersOptions {
  connection: NativeConnection;
  namespace: string;
  queues: TaskQueues;
  /** The prebuilt bundle of the workflows. */
  bundlePath: string;
  activities: Activities;
  /** A worker that ends by itself is a fault that the process cannot mend: it is told here. */
  onFailure: (error: unknown) => void;
}

export interface RunningWorkers {
  stop(): Promise<void>;
}

/** Above the ten seconds of a webhook attempt, so that a stopping worker finishes what it has begun. */
const SHUTDOWN_GRACE = '15 seconds';

let runtimeInstalled = false;

/**
 * Once per process and before its first native connection: Temporal's core logs through ours, and leaves the
 * signals of the process to main.
 */
export function installRuntime(log: Logger): void {
  if (runtimeInstalled) return;
  runtimeInstalled = true;
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
    },
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      const { error, ...rest } = (meta ?? {}) as Record<string, unknown>;
      log[levels[level]]({ temporal: rest, ...(error ? { err: error } : {}) }, message);
    }),
  });
}

/** One worker for each kind of work, on its own task queue: a flood of one kind cannot starve another. */
export async function startWorkers(options: WorkersOptions): Promise<RunningWorkers> {
  const { connection, namespace, queues, bundlePath, activities, onFailure } = options;
  const create = (taskQueue: string, own: object, activitySlots: number) =>
    Worker.create({
      connection,
      namespace,
      taskQueue,
      workflowBundle: { codePath: bundlePath },
      activities: own,
      shutdownGraceTime: SHUTDOWN_GRACE,
      maxConcurrentActivityTaskExecutions: activitySlots,
      workflowTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
      activityTaskPollerBehavior: { type: 'autoscaling', minimum: 1, initial: 2, maximum: 10 },
    });
  const workers = await Promise.all([
    create(queues.logins, activities.logins, 50),
    create(queues.deliveries, activities.deliveries, 200),
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
