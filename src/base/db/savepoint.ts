import type pg from 'pg';

/** Runs statements and undoes them, inside a transaction that continues. */
export async function rolledBack<T>(db: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  await db.query('SAVEPOINT trial');
  const result = await work();
  await db.query('ROLLBACK TO SAVEPOINT trial');
  return result;
}

/** Undoes the statements of `work` if it throws, inside a transaction that continues. */
export async function undoneOnError<T>(db: pg.PoolClient, work: () => Promise<T>): Promise<T> {
  await db.query('SAVEPOINT attempt');
  try {
    const result = await work();
    await db.query('RELEASE SAVEPOINT attempt');
    return result;
  } catch (error) {
    await db.query('ROLLBACK TO SAVEPOINT attempt');
    throw error;
  }
}
