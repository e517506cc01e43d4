import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../lib/log';
import { startSweep } from '../lib/sweep';
import { INDEX_BATCH, indexNextEvents } from './queries/search-index';

const SWEEP_MS = 1_000;
/** Pause after a batch, in durations of the batch: deliveries keep most of the database while the search catches up. */
const PAUSE_FACTOR = 3;

/**
 * Makes the bodies of new events searchable. It may lag behind under load: the search reads the events that are not
 * indexed yet directly.
 */
export function startSearchIndex({ pool, log }: { pool: pg.Pool; log: Logger }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let running: Promise<void> | null = null;

  async function index(): Promise<void> {
    while (!stopping.signal.aborted) {
      const started = performance.now();
      if ((await indexNextEvents(pool)) < INDEX_BATCH) return;
      await sleep((performance.now() - started) * PAUSE_FACTOR, undefined, { signal: stopping.signal });
    }
  }

  const sweep = startSweep(SWEEP_MS, () => {
    running ??= index()
      .catch((err: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err }, 'new events could not be made searchable yet');
      })
      .finally(() => (running = null));
  });
  return {
    async stop() {
      sweep.stop();
      stopping.abort();
      await running;
    },
  };
}
