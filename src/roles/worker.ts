import { setTimeout as sleep } from 'node:timers/promises';
import type { NativeConnection } from '@temporalio/worker';
import { createActivities } from '../../activities';
import type { Core } from '../core';
import { connectNative, type TemporalSettings } from '../temporal/connection';
import { startWorkers } from '../temporal/workers';

export interface WorkerRoleOptions {
  temporal: TemporalSettings;
  bundlePath: string;
  onFailure: (error: unknown) => void;
}

export interface RunningWorkerRole {
  stop(): Promise<void>;
}

const CONNECT_RETRY_MS = 2_000;

/** The hand and the clock: workflow and activity workers, and the relays that carry committed rows to Temporal. */
export async function startWorkerRole(core: Core, options: WorkerRoleOptions): Promise<RunningWorkerRole> {
  const connection = await connectWhenThere(core, options.temporal);
  const workers = await startWorkers({
    connection,
    namespace: core.config.TEMPORAL_NAMESPACE,
    queues: core.queues,
    bundlePath: options.bundlePath,
    activities: createActivities(core),
    log: core.log,
    onFailure: options.onFailure,
  });
  return {
    async stop() {
      await workers.stop();
      await connection.close();
    },
  };
}

/** A Temporal server that is away at the start comes back sooner or later; the worker waits for it. */
async function connectWhenThere(core: Core, settings: TemporalSettings): Promise<NativeConnection> {
  for (;;) {
    try {
      return await connectNative(settings);
    } catch (err) {
      core.log.warn({ err }, 'Temporal does not answer; the worker waits for it');
      await sleep(CONNECT_RETRY_MS);
    }
  }
}
