import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { withPipelinedTransaction, type Db } from '../db/pool';

export type Write = (db: Db) => Promise<unknown>;

const current = new AsyncLocalStorage<Write[]>();

/**
 * Runs `work`. What the provider stores meanwhile is written after it, in one transaction and one round trip: the library
 * stores one record after the other and reads none of them again in the same request.
 */
export async function withDeferredWrites<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const writes: Write[] = [];
  const result = await current.run(writes, work);
  const [first, ...others] = writes;
  if (others.length > 0) {
    await withPipelinedTransaction(pool, (db) => Promise.all(writes.map((write) => write(db))));
  } else await first?.(pool);
  return result;
}

/** Writes now, or at the end of the request if that is what it does. */
export async function writeDeferred(db: Db, write: Write): Promise<void> {
  const writes = current.getStore();
  if (writes) writes.push(write);
  else await write(db);
}

/** What has been deferred so far: the caller writes it in a transaction of its own. */
export function takeDeferredWrites(): Write[] {
  return current.getStore()?.splice(0) ?? [];
}
