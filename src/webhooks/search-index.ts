import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../lib/log';
import { startPeriodicJob, type PeriodicJob } from '../lib/periodic-job';
import { firstAttemptsWait } from './queries/claim';
import { INDEX_BATCH, indexNextEvents } from './queries/search-index';

const SWEEP_MS = 1_000;
/** Pause after a batch, in durations of the batch: deliveries keep most of the database while the search catches up. */
const PAUSE_FACTOR = 3;

/** Makes the bodies of new events searchable. The search reads the events that are not indexed yet directly. */
export function startSearchIndex({ pool, log }: { pool: pg.Pool; log: Logger }): PeriodicJob {
  return startPeriodicJob({
    everyMs: SWEEP_MS,
    run: (signal) => indexWhileIdle(pool, signal),
    log,
    failure: 'new events could not be made searchable yet',
  });
}

/**
 * Stops after one batch while first attempts wait, unless it is for their receiver: the words of an event cost as much as its
 * delivery. One batch in any case, so that deliveries that wait for long do not stop the search of every project.
 */
export async function indexWhileIdle(pool: pg.Pool, signal?: AbortSignal): Promise<void> {
  do {
    const started = performance.now();
    if ((await indexNextEvents(pool)) < INDEX_BATCH) return;
    await sleep((performance.now() - started) * PAUSE_FACTOR, undefined, { signal });
  } while (!signal?.aborted && !(await firstAttemptsWait(pool)));
}
