import pg from 'pg';

/** What a query function needs: the pool outside a transaction, one client inside it. */
export interface Db {
  query<R extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<R>>;
}

export interface PoolOptions {
  url: string;
  max?: number;
  applicationName?: string;
  /** The lane of deliveries whose endpoint names none. */
  deliveryLane?: 'workflow' | 'express';
  onError?: (error: Error) => void;
}

// bigint columns hold counts and update ids that stay far below 2^53: numbers are what callers expect.
pg.types.setTypeParser(pg.types.builtins.INT8, (value) => Number(value));

export function createPool(options: PoolOptions): pg.Pool {
  const { url, max = 10, applicationName = 'herald', deliveryLane = 'workflow', onError } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: applicationName,
    // A setting of the session, so that the statement that writes a delivery can fix its lane on the row.
    ...(deliveryLane === 'express' ? { options: '-c herald.delivery_lane=express' } : {}),
    // A database that is away must become a clear 503 quickly, not a request that hangs.
    connectionTimeoutMillis: 3_000,
    // A new connection costs a handshake, and every plan once more: the ones that a burst has made stay for the next.
    idleTimeoutMillis: 300_000,
    keepAlive: true,
    // Statements that do not wait for each other travel together; whoever awaits each notices nothing.
    pipeline: true,
  });
  // An idle client that loses its server emits here; without a listener the process would die.
  pool.on('error', (error) => onError?.(error));
  return pool;
}

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
export function withTransaction<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  return withClient(pool, async (client) => {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  });
}

async function withClient<T>(pool: pg.Pool, use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that dies in the middle emits on the client too; the failing query reports it.
  const ignore = () => {};
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    return await use(client);
  } catch (error) {
    await client.query('ROLLBACK').catch((rollbackError: Error) => {
      broken = rollbackError;
    });
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(broken);
  }
}

/**
 * A transaction in one round trip: BEGIN, what `send` sends at once, and COMMIT. For statements that need nothing of
 * each other's answers; a lock among them is held for as long as the server works, not for as long as we take to go on.
 */
export function withPipelinedTransaction<T>(
  pool: pg.Pool,
  send: (db: pg.PoolClient) => Promise<T>,
): Promise<T> {
  return withClient(pool, async (client) => {
    const sent = [client.query('BEGIN'), send(client), client.query('COMMIT')] as const;
    // All of them are answered before the connection goes back, whichever fails.
    await Promise.allSettled(sent);
    const [, result] = await Promise.all(sent);
    return result;
  });
}

/** Several reads of the same moment: what commits in between is in none of them. */
export function withSnapshot<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  return withTransaction(pool, async (db) => {
    await db.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    return work(db);
  });
}
