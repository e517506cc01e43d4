import type pg from 'pg';
import type { Logger } from '../../base/lib/log';
import { startPeriodicJob } from '../../base/lib/periodic-job';
import { findDueWork, type DueWork } from './queries/due';

/** Finds what becomes due by time, what a process that died has left, and what a lost notification was about. */
const SWEEP_MS = 1_000;

export interface DeliverySweep {
  /** Calls `wake` whenever this is due. */
  on(work: DueWork, wake: () => void): void;
  stop(): Promise<void>;
}

/** The one loop of a worker for deliveries and endpoints: it asks for all of their work at once and wakes what has some. */
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
