import type { Logger } from './log';
import { startSweep } from './sweep';

export interface JobOptions {
  /** `signal` is aborted when the job stops: a long run should then end early. */
  run(signal: AbortSignal): Promise<unknown>;
  log: Logger;
  /** Logged with the error of a run that failed. */
  failure: string;
}

export interface Job {
  /** Runs the job, unless it is running. */
  wake(): void;
  /** Starts no further run and waits for the one in progress. */
  stop(): Promise<void>;
}

export type PeriodicJob = Pick<Job, 'stop'>;

/** Background work, one run at a time: a wake-up during a run is ignored. */
export function createJob({ run, log, failure }: JobOptions): Job {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | null = null;

  async function runOnce(): Promise<void> {
    try {
      await run(signal);
    } catch (err) {
      if (!signal.aborted) log.warn({ err }, failure);
    }
  }

  return {
    wake() {
      if (!signal.aborted) running ??= runOnce().finally(() => (running = null));
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/** Runs a job at least every `everyMs`. A failure does not delay the next run. */
export function startPeriodicJob({ everyMs, ...options }: JobOptions & { everyMs: number }): PeriodicJob {
  const job = createJob(options);
  const sweep = startSweep(everyMs, () => job.wake());
  return {
    async stop() {
      sweep.stop();
      await job.stop();
    },
  };
}
