import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { retryConflicts } from './conflicts';

/** What a query function needs: the pool outside a transaction, one client inside it. */
export interface Db {
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

export interface PoolOptions {
  url: string;
  max?: number;
  applicationName?: string;
  onError?: (error: Error) => void;
}

// bigint columns hold counts and update ids that stay far below 2^53: numbers are what callers expect.
pg.types.setTypeParser(pg.types.builtins.INT8, (value) => Number(value));

export function createPool(options: PoolOptions): pg.Pool {
  const { url, max = 10, applicationName = 'herald', onError } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: applicationName,
    // A database that is unavailable must become a clear 503 quickly, not a request that hangs.
    connectionTimeoutMillis: 3_000,
    // A new connection costs a handshake and every plan again: keep the ones that a burst has opened.
    idleTimeoutMillis: 300_000,
    keepAlive: true,
    // Statements that are sent without awaiting the one before share a round trip.
    pipeline: true,
  });
  // An idle client that loses its server emits here; without a listener the process would die.
  pool.on('error', (error) => onError?.(error));
  // A client that loses its connection between two users, or between two statements, emits here; the next one reports it.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** What runs once a transaction has committed, by its connection. */
const afterCommitHooks = new WeakMap<object, Set<(pool: pg.Pool) => void>>();

/**
 * Runs `hook` after the transaction of `db` has committed, and never if it rolls back. The same hook runs once. Where
 * `db` is the pool itself, every statement has committed by the time it returns, so the hook runs at once.
 */
export function afterCommit(db: Db, hook: (pool: pg.Pool) => void): void {
  const hooks = afterCommitHooks.get(db);
  if (hooks) hooks.add(hook);
  else hook(db as pg.Pool);
}

/** Runs in every transaction of the current request, before it commits. */
export type CommitHook = (db: pg.PoolClient) => Promise<void>;
const commitHooks = new AsyncLocalStorage<CommitHook>();

/** Runs `work`; each of its transactions calls `hook` before it commits, and rolls back if the hook throws. */
export function withCommitHook<T>(hook: CommitHook, work: () => Promise<T>): Promise<T> {
  return commitHooks.run(hook, work);
}

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. After a deadlock it runs again,
 * so its effects must be those of its statements.
 */
export function withTransaction<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  return retryConflicts(() =>
    withClient(pool, async (client) => {
      // Not awaited: BEGIN shares the round trip of the first statement.
      const [, result] = await Promise.all([client.query('BEGIN'), work(client)]);
      await commitHooks.getStore()?.(client);
      await client.query('COMMIT');
      return result;
    }),
  );
}

async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const hooks = new Set<(pool: pg.Pool) => void>();
  afterCommitHooks.set(client, hooks);
  let broken: Error | undefined;
  try {
    const result = await use(client);
    afterCommitHooks.delete(client);
    for (const hook of hooks) hook(pool);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    afterCommitHooks.delete(client);
    client.release(broken);
  }
}

/**
 * A transaction in one round trip: BEGIN, the statements that `send` issues without awaiting, COMMIT. A lock among them
 * is held while the server works, not while this process is busy elsewhere. After a deadlock it is sent again.
 */
export function withPipelinedTransaction<T>(
  pool: pg.Pool,
  send: (db: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return retryConflicts(() =>
    withClient(pool, async (client) => {
      const sent = [client.query('BEGIN'), send(client), client.query('COMMIT')] as const;
      // Every response is read before the connection goes back to the pool, whichever statement fails.
      await Promise.allSettled(sent);
      const [, result] = await Promise.all(sent);
      return result;
    }),
  );
}

/** Whether each statement of `db` is a transaction of its own. */
export function isPool(db: Db): boolean {
  return !afterCommitHooks.has(db);
}

/** Runs `work` in the transaction of `db`, or in one of its own if `db` is the pool. */
export function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return isPool(db) ? withTransaction(db as pg.Pool, work) : work(db);
}

/** Several reads of the same snapshot. */
export function withSnapshot<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  // It changes nothing, and so has no hooks.
  return commitHooks.exit(() =>
    withTransaction(pool, async (db) => {
      await db.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return work(db);
    }),
  );
}
