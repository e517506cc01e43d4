import type pg from 'pg';
import { createBatcher, type Batcher } from '../lib/batch';
import type { Logger } from '../lib/log';
import { withRetry } from '../lib/retry';
import type { LaneSetting } from './contract';
import type { ExpressClaim } from './queries/claim';
import { recordSuccesses, type ExpressSuccess } from './queries/express';

/** Successes in one statement at most: this bounds what a crash can repeat. */
const BATCH_ROWS = 50;
/** An attempt has ten of the twenty seconds of its lease; a success that is not recorded by its end is sent again. */
const RETRY_FOR_MS = 8_000;
const RETRY_PAUSE_MS = { first: 100, most: 100 };

/**
 * Writes successes of the express lane: those that arrive while a write is in flight share the next statement. Each
 * resolves with the next first attempt of its endpoint, if one was claimed for the slot that it has freed.
 */
export function createSuccessWriter(
  pool: pg.Pool,
  log: Logger,
  defaultLane: LaneSetting,
): Batcher<ExpressSuccess, ExpressClaim | null> {
  async function record(successes: ExpressSuccess[]): Promise<(ExpressClaim | null)[]> {
    const next = await recordWithRetry(successes);
    return successes.map(({ endpoint_id: id, refill }) => {
      const index = refill ? next.findIndex(({ endpoint_id }) => endpoint_id === id) : -1;
      return index < 0 ? null : (next.splice(index, 1)[0] ?? null);
    });
  }

  const recordWithRetry = (successes: ExpressSuccess[]) =>
    withRetry(() => recordSuccesses(pool, successes, defaultLane), {
      pauseMs: RETRY_PAUSE_MS,
      shouldRetry: (_error, { elapsedMs }) => elapsedMs <= RETRY_FOR_MS,
      onRetry: (err) =>
        log.warn({ err, count: successes.length }, 'successes could not be recorded and will be retried'),
    });

  // Two statements at once, never for the same endpoint: both would refill its slots from the head of its queue.
  const even = createBatcher(record, { size: BATCH_ROWS });
  const odd = createBatcher(record, { size: BATCH_ROWS });
  const isEven = (endpointId: string) => Number.parseInt(endpointId.slice(-1), 16) % 2 === 0;
  return {
    write: (success) => (isEven(success.endpoint_id) ? even : odd).write(success),
    async stop() {
      await Promise.all([even.stop(), odd.stop()]);
    },
  };
}
