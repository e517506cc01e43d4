import type pg from 'pg';
import type { Db } from './pool';
import { outsideProject } from './project-share';

/** Runs statements on one connection, and ends the one that is running when the signal aborts. */
export async function withCancellation<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = await pool.connect();
  const { processID } = client as pg.PoolClient & { processID: number };
  let cancelled: Promise<unknown> | undefined;
  const cancel = () => {
    // The project may hold its share by what is being cancelled.
    cancelled = outsideProject(() => pool.query('SELECT pg_cancel_backend($1)', [processID])).catch(
      () => undefined,
    );
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    return await work(client);
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelled;
    // The cancellation may arrive late: it must not hit another request's statement.
    client.release(cancelled !== undefined);
  }
}
