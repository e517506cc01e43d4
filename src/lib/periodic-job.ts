import type { Logger } from './log';
import { startSweep } from './sweep';

export interface PeriodicJobOptions {
  everyMs: number;
  /** `signal` is aborted when the job stops: a long run should then end early. */
  run(signal: AbortSignal): Promise<unknown>;
  log: Logger;
  /** Logged with the error of a run that failed. A failure does not delay the next run. */
  failure: string;
}

export interface PeriodicJob {
  /** Starts no further run and waits for the one in progress. */
  stop(): Promise<void>;
}

/** Runs work in the background at least every `everyMs`, one run at a time: a run that falls due during another is skipped. */
export function startPeriodicJob({ everyMs, run, log, failure }: PeriodicJobOptions): PeriodicJob {
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

  const sweep = startSweep(everyMs, () => {
    running ??= runOnce().finally(() => (running = null));
  });
  return {
    async stop() {
      sweep.stop();
      stopping.abort();
      await running;
    },
  };
}
