import { AsyncLocalStorage } from 'node:async_hooks';
import type { Socket } from 'node:net';
import pg from 'pg';
import { retryConflicts } from './conflicts';
import type { Outage } from './outage';
import { outsideProject, SharedPool } from './project-share';
import {
  applyTimeLimits,
  destroyConnection,
  keepAlive,
  queryTimeoutMs,
  type TimeLimits,
} from './time-limits';
import { UnnamedClient } from './unnamed-client';

/** What a query function needs: the pool outside a transaction, one client inside it. */
export interface Db {
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

export interface PoolOptions {
  url: string;
  max?: number;
  applicationName?: string;
  /** Default: none, for migrations and maintenance. */
  timeLimits?: TimeLimits | undefined;
  /** Connections that one project may hold at once. Default: all. */
  projectShare?: number | undefined;
  /** The URL is a pooler in transaction mode: the next statement may run on another connection of the server. */
  transactionPooler?: boolean | undefined;
  /** The pooler keeps track of statements that are prepared by name. */
  poolerPrepares?: boolean | undefined;
  /** Told of every connection that is made or lost. */
  outage?: Pick<Outage, 'watch'> | undefined;
}

const CONNECT_TIMEOUT_MS = 3_000;
/** A new connection costs a handshake and every plan again, so those of a burst are kept until it is over, and two after it. */
const IDLE_TIMEOUT_MS = 30_000;
const MIN_CONNECTIONS = 2;

// bigint columns hold counts and update ids that stay far below 2^53: numbers are what callers expect.
pg.types.setTypeParser(pg.types.builtins.INT8, (value) => Number(value));

/** The limits of a pool's connections. */
const limitsOfPools = new WeakMap<pg.Pool, TimeLimits>();

export function createPool(options: PoolOptions): SharedPool {
  const { url, max = 10, applicationName = 'herald', timeLimits, projectShare, outage } = options;
  const { transactionPooler = false, poolerPrepares = false } = options;
  const pool = new SharedPool(
    {
      connectionString: url,
      max,
      application_name: applicationName,
      // A database that is unavailable must become a clear 503 quickly, not a request that hangs.
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      min: MIN_CONNECTIONS,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      ...keepAlive,
      ...(timeLimits && {
        query_timeout: queryTimeoutMs(timeLimits.statementMs),
        // The pool awaits it, although its type does not say so. A pooler has them in its own settings: a SET would stay on
        // one of its connections, whichever it is.
        ...(!transactionPooler && {
          onConnect: (client) => applyTimeLimits(client, timeLimits) as unknown as void,
        }),
      }),
      // Statements that are sent without awaiting the one before share a round trip.
      pipeline: true,
      ...(transactionPooler && !poolerPrepares && { Client: UnnamedClient }),
    },
    projectShare,
  );
  if (timeLimits) limitsOfPools.set(pool, timeLimits);
  // An idle client that loses its server emits here; without a listener the process would die.
  pool.on('error', () => {});
  // A client that loses its connection between two users, or between two statements, emits here; the next one reports it.
  pool.on('connect', (client) => client.on('error', () => {}));
  outage?.watch(pool);
  return pool;
}

/** What runs once an open transaction has committed, by its connection. */
const hooksOfTransactions = new WeakMap<object, Set<(pool: pg.Pool) => void>>();

/**
 * Runs `hook` after the transaction of `db` has committed, and never if it rolls back. The same hook runs once. Where
 * `db` is the pool itself, every statement has committed by the time it returns, so the hook runs at once.
 */
export function afterCommit(db: Db, hook: (pool: pg.Pool) => void): void {
  const hooks = hooksOfTransactions.get(db);
  if (hooks) hooks.add(hook);
  else outsideProject(() => hook(db as pg.Pool));
}

/** Runs in every transaction of the current request, before it commits. */
export type CommitHook = (db: pg.PoolClient) => Promise<void>;
const commitHooks = new AsyncLocalStorage<CommitHook>();

/** Runs `work`; each of its transactions calls `hook` before it commits, and rolls back if the hook throws. */
export function withCommitHook<T>(hook: CommitHook, work: () => Promise<T>): Promise<T> {
  return commitHooks.run(hook, work);
}

/** Runs `work` outside the change that the request makes: its transactions have no hook. */
export function withoutCommitHook<T>(work: () => Promise<T>): Promise<T> {
  return commitHooks.exit(work);
}

/**
 * Runs `work` in one transaction: committed when it returns, rolled back when it throws. After a deadlock it runs again,
 * so its effects must be those of its statements.
 */
export function withTransaction<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  return retryConflicts(() =>
    withClient(pool, async (client) => {
      // Not awaited: BEGIN shares the round trip of the first statement.
      const [, result] = await inOneWrite(client, () => Promise.all([client.query('BEGIN'), work(client)]));
      await commitHooks.getStore()?.(client);
      await client.query('COMMIT');
      return result;
    }),
  );
}

/**
 * Sends the statements that `issue` issues before its first await in one write. A write to the socket takes as long as a small
 * statement, and each one wakes the server.
 */
function inOneWrite<T>(client: pg.PoolClient, issue: () => T): T {
  // Of the driver, which does the same for the messages of one statement; its types leave it out.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection;
  stream.cork();
  try {
    return issue();
  } finally {
    stream.uncork();
  }
}

/** A transaction ends after this many times the limit of a statement: its locks hold others up. */
const STATEMENTS_PER_TRANSACTION = 3;

function setDeadline(client: pg.PoolClient, statementMs: number): NodeJS.Timeout {
  return setTimeout(() => destroyConnection(client), STATEMENTS_PER_TRANSACTION * statementMs);
}

async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A second connection that a transaction needs must not wait for the first one.
  return outsideProject(() => useClient(pool, client, use));
}

async function useClient<T>(
  pool: pg.Pool,
  client: pg.PoolClient,
  use: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const limits = limitsOfPools.get(pool);
  // Ends a transaction whose statements are each in time, but which as a whole is not.
  const deadline = limits && setDeadline(client, limits.statementMs);
  const hooks = new Set<(pool: pg.Pool) => void>();
  hooksOfTransactions.set(client, hooks);
  let broken: Error | undefined;
  try {
    const result = await use(client);
    hooksOfTransactions.delete(client);
    for (const hook of hooks) hook(pool);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    clearTimeout(deadline);
    hooksOfTransactions.delete(client);
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
      const sent = inOneWrite(
        client,
        () => [client.query('BEGIN'), send(client), client.query('COMMIT')] as const,
      );
      // Every response is read before the connection goes back to the pool, whichever statement fails.
      await Promise.allSettled(sent);
      const [, result] = await Promise.all(sent);
      return result;
    }),
  );
}

/** Whether each statement of `db` is a transaction of its own. */
export function isPool(db: Db): boolean {
  return !hooksOfTransactions.has(db);
}

/** Runs `work` in the transaction of `db`, or in one of its own if `db` is the pool. */
export function inTransaction<T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> {
  return isPool(db) ? withTransaction(db as pg.Pool, work) : work(db);
}

/** Several reads of the same snapshot. */
export function withSnapshot<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  // It changes nothing, and so has no hooks.
  return withoutCommitHook(() =>
    withTransaction(pool, async (db) => {
      await db.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return work(db);
    }),
  );
}
