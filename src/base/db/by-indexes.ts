import type pg from 'pg';
import { withPipelinedTransaction, type Db } from './pool';
import { row, USE_STORED_PLANS } from './query';

const USE_INDEXES = `${USE_STORED_PLANS}, ${['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin']
  .map((plan) => `set_config('enable_${plan}', 'off', true)`)
  .join(', ')}`;

/**
 * Plans the rest of the transaction by indexes, once for each statement. A queue is empty at one moment and long at the next: a
 * plan made for the empty table would scan the long one.
 */
export function useIndexes(db: Db): Promise<unknown> {
  return row(db, 'use_indexes', USE_INDEXES);
}

/** A statement that reads a queue, planned by its indexes, in a transaction of its own. */
export async function byIndexes<T>(pool: pg.Pool, statement: (db: Db) => Promise<T>): Promise<T> {
  const [, result] = await withPipelinedTransaction(pool, (db) =>
    Promise.all([useIndexes(db), statement(db)]),
  );
  return result;
}
