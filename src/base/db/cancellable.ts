import net from 'node:net';
import type pg from 'pg';
import type { Db } from './pool';

/** Runs statements on one connection, and ends the one that is running when the signal aborts. */
export async function withCancellation<T>(
  pool: pg.Pool,
  signal: AbortSignal,
  work: (db: Db) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const client = await pool.connect();
  let cancelled: Promise<void> | undefined;
  const cancel = () => {
    cancelled = sendCancelRequest(client);
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

/** The code of a cancel request in the protocol. */
const CANCEL_REQUEST = 80_877_102;
const CANCEL_LIMIT_MS = 3_000;

/**
 * A cancel request of the protocol, on a connection of its own: it needs none of the pool, whose connections may all be taken by
 * what is being cancelled, and a pooler passes it on to the server that runs the statement.
 */
function sendCancelRequest(client: pg.PoolClient): Promise<void> {
  const { host, port, processID, secretKey } = client as pg.PoolClient & Target;
  const request = Buffer.alloc(16);
  [request.length, CANCEL_REQUEST, processID, secretKey].forEach((part, at) =>
    request.writeInt32BE(part, at * 4),
  );
  return new Promise((resolve) => {
    const socket = host.startsWith('/') ? net.connect(`${host}/.s.PGSQL.${port}`) : net.connect(port, host);
    socket.setTimeout(CANCEL_LIMIT_MS, () => socket.destroy());
    // The server closes it once the signal is sent; a statement that could not be cancelled has its time limit.
    socket.on('error', () => {}).on('close', () => resolve());
    // Left open: a pooler drops the request of a client that has gone.
    socket.resume().write(request);
  });
}

interface Target {
  host: string;
  port: number;
  processID: number;
  secretKey: number;
}
