import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createBatcher, type Batcher } from '../lib/batch';
import type { Logger } from '../lib/log';
import { recordSuccesses, type ExpressSuccess } from './queries/express';

/** Successes in one statement at most: this bounds what a crash can repeat. */
const BATCH_ROWS = 50;
/** An attempt has ten of the twenty seconds of its lease; a success that is not recorded by its end is sent again. */
const RETRY_FOR_MS = 8_000;
const RETRY_MS = 100;

/** Writes successes of the express lane: those that arrive while a write is in flight share the next statement. */
export function createSuccessWriter(pool: pg.Pool, log: Logger): Batcher<ExpressSuccess, void> {
  async function record(successes: ExpressSuccess[]): Promise<void> {
    const deadline = performance.now() + RETRY_FOR_MS;
    for (;;) {
      try {
        return await recordSuccesses(pool, successes);
      } catch (err) {
        if (performance.now() > deadline) throw err;
        log.warn({ err, count: successes.length }, 'successes could not be recorded and will be retried');
        await sleep(RETRY_MS * (1 + Math.random()));
      }
    }
  }
  return createBatcher(record, { size: BATCH_ROWS });
}
