import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { withPipelinedTransaction, withTransaction, type Db } from '../../base/db/pool';

type Write = (db: Db) => Promise<unknown>;

interface Deferred {
  /** Uses of codes and tokens: they come first, and one that fails undoes everything. */
  uses: Write[];
  writes: Write[];
}

const current = new AsyncLocalStorage<Deferred>();

/**
 * Runs `work`. What the provider stores meanwhile is written after it, in one transaction: the library stores one record
 * after the other and reads none of them again in the same request. So a code or token is used up together with what is
 * given for it; after a fault of the database the client can try again.
 */
export async function withDeferredWrites<T>(pool: pg.Pool, work: () => Promise<T>): Promise<T> {
  const deferred: Deferred = { uses: [], writes: [] };
  const result = await current.run(deferred, work);
  const { uses, writes } = deferred;
  const [first, ...others] = writes;
  if (uses.length > 0) {
    await withTransaction(pool, async (db) => {
      for (const write of [...uses, ...writes]) await write(db);
    });
  } else if (others.length > 0) {
    await withPipelinedTransaction(pool, (db) => Promise.all(writes.map((write) => write(db))));
  } else await first?.(pool);
  return result;
}

/** Writes now, or at the end of the request if that is what it does. */
export function writeDeferred(db: Db, write: Write): Promise<void> {
  return defer(db, write, 'writes');
}

/** The same for a use of a code or token, which may fail. */
export function useDeferred(db: Db, write: Write): Promise<void> {
  return defer(db, write, 'uses');
}

async function defer(db: Db, write: Write, kind: keyof Deferred): Promise<void> {
  const deferred = current.getStore();
  if (deferred) deferred[kind].push(write);
  else await write(db);
}

/** What has been deferred so far: the caller writes it in a transaction of its own. */
export function takeDeferredWrites(): Write[] {
  return current.getStore()?.writes.splice(0) ?? [];
}
