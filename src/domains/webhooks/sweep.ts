import type pg from 'pg';
import type { Logger } from '../../base/lib/log';
import { startPeriodicJob } from '../../base/lib/periodic-job';
import { findDueWork, type DueWork } from './queries/due';

/** Finds work that becomes due by time, work of processes that died, and work whose notification was lost. */
const SWEEP_MS = 1_000;

export interface DeliverySweep {
  /** Calls `wake` whenever this work is due. */
  on(work: DueWork, wake: () => void): void;
  stop(): Promise<void>;
}

/** A worker's one loop for deliveries and endpoints: reads which of their work is due, in one query, and wakes it. */
export function startDeliverySweep({ pool, log }: { pool: pg.Pool; log: Logger }): DeliverySweep {
  const wakes = new Map<DueWork, (() => void)[]>();
  const { stop } = startPeriodicJob({
    everyMs: SWEEP_MS,
    async run() {
      for (const work of await findDueWork(pool)) for (const wake of wakes.get(work) ?? []) wake();
    },
    log,
    failure: 'it could not be read which deliveries are due',
  });
  return {
    on: (work, wake) => void wakes.set(work, [...(wakes.get(work) ?? []), wake]),
    stop,
  };
}
