import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../../base/lib/log';
import { createJob, type Job } from '../../base/lib/periodic-job';
import { firstAttemptsWait } from './queries/lag';
import { INDEX_BATCH, indexNextEvents } from './queries/search-index';
import type { DeliverySweep } from './sweep';

/** Pause after a batch, in durations of the batch: deliveries keep most of the database while the search catches up. */
const PAUSE_FACTOR = 3;

/** Makes the bodies of new events searchable. The search reads the events that are not indexed yet directly. */
export function startSearchIndex({
  pool,
  log,
  sweep,
}: {
  pool: pg.Pool;
  log: Logger;
  sweep: Pick<DeliverySweep, 'on'>;
}): Pick<Job, 'stop'> {
  const job = createJob({
    run: (signal) => indexWhileIdle(pool, signal),
    log,
    failure: 'new events could not be made searchable yet',
  });
  sweep.on('search', () => job.wake());
  return job;
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
