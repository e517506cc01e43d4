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
    idleTimeoutMillis: 30_000,
    keepAlive: true,
  });
  // An idle client that loses its server emits here; without a listener the process would die.
  pool.on('error', (error) => onError?.(error));
  return pool;
}

/** Runs `work` in one transaction: committed when it returns, rolled back when it throws. */
export async function withTransaction<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // A connection that dies in the middle emits on the client too; the failing query reports it.
  const ignore = () => {};
  client.on('error', ignore);
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(client);
    await client.query('COMMIT');
    return result;
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

/** Several reads of the same moment: what commits in between is in none of them. */
export function withSnapshot<T>(pool: pg.Pool, work: (db: pg.PoolClient) => Promise<T>): Promise<T> {
  return withTransaction(pool, async (db) => {
    await db.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    return work(db);
  });
}
