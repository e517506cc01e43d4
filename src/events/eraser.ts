import type pg from 'pg';
import type { Logger } from '../lib/log';
import { startPeriodicJob, type PeriodicJob } from '../lib/periodic-job';
import { eraseDueEvents } from './queries/erase';

const SWEEP_MS = 2_000;

/** Erases events of removed people as soon as their last open delivery has ended. Safe in several processes. */
export function startEventEraser({ pool, log }: { pool: pg.Pool; log: Logger }): PeriodicJob {
  return startPeriodicJob({
    everyMs: SWEEP_MS,
    async run(signal) {
      while (!signal.aborted && (await eraseDueEvents(pool)).more);
    },
    log,
    failure: 'events of removed people could not be erased yet',
  });
}
