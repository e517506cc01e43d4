import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import { AppError } from '../contract/errors';

export interface ServerOptions {
  app: Koa;
  host: string;
  port: number;
  docsUrl: () => string;
  /** How long a client may take from connecting, or from the first byte of a later request, to the end of its headers. */
  headersTimeoutMs?: number;
}

export interface RunningServer {
  port: number;
  /** Stops accepting connections, waits up to the limit for running requests, then closes the remaining connections. */
  stop(limitMs: number): Promise<void>;
}

/** Rejects with the system error (EADDRINUSE …) if it cannot listen. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { app, host, port, docsUrl, headersTimeoutMs = 20_000 } = options;
  const handleByApp = app.callback();
  const inFlight = new WeakMap<object, { req: http.IncomingMessage; res: http.ServerResponse }>();
  const handle: http.RequestListener = (req, res) => {
    const { socket } = req;
    inFlight.set(socket, { req, res });
    res.once('close', () => inFlight.delete(socket));
    void handleByApp(req, res);
  };
  const server = http.createServer(
    {
      keepAliveTimeout: 65_000,
      headersTimeout: headersTimeoutMs,
      connectionsCheckingInterval: headersTimeoutMs,
      requestTimeout: 60_000,
      // Node would respond to a missing Host header, and below to an unknown Expect header, without the error envelope.
      requireHostHeader: false,
    },
    handle,
  );
  server.on('checkExpectation', handle);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return socket.destroy();
    // Browsers open spare connections. A response on one that stayed silent could cross a request in transit,
    // and the browser would take it for that request's response; a closed connection makes it send the request again.
    if ((socket as Socket).bytesRead === 0) return socket.destroy();
    const current = inFlight.get(socket);
    const isCutOff = current?.req.complete === false;
    // What has been answered already does not get a second answer.
    if (isCutOff && current.res.headersSent) return socket.destroy();
    const refusal = isCutOff
      ? new AppError('validation_failed', 'body: is incomplete')
      : new AppError('bad_request');
    socket.end(rawRefusal(refusal, docsUrl()));
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

/** The URL at which this machine reaches a server that listens on `host`. */
export function localUrl(host: string, port: number): string {
  const isAny = host === '0.0.0.0' || host === '::';
  const address = isAny ? '127.0.0.1' : host;
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

function stopServer(server: http.Server, limitMs: number): Promise<void> {
  return new Promise((resolve) => {
    const forceClose = setTimeout(() => server.closeAllConnections(), limitMs);
    // A keep-alive connection becomes idle only after its running request, so close idle connections repeatedly.
    const sweep = setInterval(() => server.closeIdleConnections(), 100);
    server.close(() => {
      clearTimeout(forceClose);
      clearInterval(sweep);
      resolve();
    });
    server.closeIdleConnections();
  });
}

/** The error envelope for a request that Node cannot parse; written by hand because there is no response object. */
function rawRefusal(error: AppError, docsUrl: string): string {
  const body = JSON.stringify(error.toEnvelope(docsUrl));
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
