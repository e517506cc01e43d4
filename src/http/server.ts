import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { AppError } from '../contract/errors';

export interface ServerOptions {
  app: Koa;
  host: string;
  port: number;
  docsUrl: () => string;
}

export interface RunningServer {
  port: number;
  /** Stops accepting, lets running requests finish within the limit, then cuts what is left. */
  stop(limitMs: number): Promise<void>;
}

/** Listens; rejects with the system's error (EADDRINUSE …) when it cannot. */
export async function startServer({ app, host, port, docsUrl }: ServerOptions): Promise<RunningServer> {
  const handle = app.callback();
  const server = http.createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout: 20_000,
      requestTimeout: 60_000,
      // Node would answer a missing Host, and below an unknown Expect, by itself and without the envelope.
      requireHostHeader: false,
    },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    socket.end(rawBadRequest(docsUrl()));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: (limitMs) => stopServer(server, limitMs),
  };
}

function stopServer(server: http.Server, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), limitMs);
    // Keep-alive connections become idle only after their running request; sweep until none is left.
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    server.close(() => {
      clearTimeout(cut);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** What Node cannot even parse gets the envelope too, written by hand because there is no request to answer. */
function rawBadRequest(docsUrl: string): string {
  const body = JSON.stringify(new AppError('bad_request').toEnvelope(docsUrl));
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
