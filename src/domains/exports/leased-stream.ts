import { Readable } from 'node:stream';
import type pg from 'pg';
import { AppError } from '../../base/contract/errors';
import { endedBy } from '../../base/lib/ended-by';
import { leaseExport, type ExportLease } from './lease';

/**
 * A stream that holds the project's export lease until it has ended. `access` ends it: the client has gone or has lost its
 * access. `open` may throw before the response begins; its signal aborts when the stream must end.
 */
export async function leasedStream(
  pool: pg.Pool,
  projectId: string,
  access: AbortSignal,
  open: (signal: AbortSignal) => Promise<AsyncIterable<string>>,
): Promise<Readable> {
  const lost = new AbortController();
  const lease = await leaseExport(pool, projectId, () => lost.abort(new AppError('service_unavailable')));
  const ended = AbortSignal.any([access, lost.signal]);
  try {
    const chunks = releasedBeforeEnd(await open(ended), lease);
    const stream = endedBy(ended, Readable.from(chunks, { objectMode: false }));
    // A stream that is never read does not begin its iteration, and so does not end it.
    stream.once('close', () => void lease.release());
    return stream;
  } catch (error) {
    await lease.release();
    if (ended.reason instanceof AppError) throw ended.reason;
    if (ended.aborted) throw new AppError('bad_request', 'The client has gone.', { cause: error });
    throw error;
  }
}

/** A client that has received the last chunk can start the next export at once. */
async function* releasedBeforeEnd(source: AsyncIterable<string>, lease: ExportLease): AsyncGenerator<string> {
  let held: string | undefined;
  try {
    for await (const chunk of source) {
      if (held !== undefined) yield held;
      held = chunk;
    }
  } finally {
    await lease.release();
  }
  if (held !== undefined) yield held;
}
