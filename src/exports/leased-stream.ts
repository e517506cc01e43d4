import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type pg from 'pg';
import { AppError } from '../contract/errors';
import { leaseExport } from './lease';

/**
 * A stream that holds the project's export lease until it has ended or its client has gone. `open` may throw before the
 * response begins; its signal aborts when the client has gone.
 */
export async function leasedStream(
  pool: pg.Pool,
  projectId: string,
  res: ServerResponse,
  open: (signal: AbortSignal) => Promise<AsyncIterable<string>>,
): Promise<Readable> {
  const closed = new AbortController();
  const lease = await leaseExport(pool, projectId, () => closed.abort());
  try {
    res.once('close', () => closed.abort());
    const stream = Readable.from(await open(closed.signal), { objectMode: false });
    stream.once('close', () => lease.release());
    return stream;
  } catch (error) {
    lease.release();
    if (closed.signal.aborted) throw new AppError('bad_request', 'The client has gone.', { cause: error });
    throw error;
  }
}
