import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Lookup } from '../../src/base/outbound/lookup';

export interface ReceivedRequest {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface Receiver {
  port: number;
  url: string;
  received: ReceivedRequest[];
  connections: number;
  openSockets(): number;
  close(): Promise<void>;
}

type Answer = (res: http.ServerResponse, request: ReceivedRequest) => void;

const pem = (name: string) => readFileSync(join(__dirname, 'certificates', name), 'utf8');

export const testCertificate = pem('test-only-cert.pem');

/** A real HTTP receiver on a free loopback port. */
export function startReceiver(answer: Answer, { tls = false } = {}): Promise<Receiver> {
  const received: ReceivedRequest[] = [];
  const onRequest: http.RequestListener = (req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { method = '', url: path = '', headers } = req;
      const request = { method, path, headers, body: Buffer.concat(chunks) };
      received.push(request);
      answer(res, request);
    });
  };
  const server = tls
    ? https.createServer({ cert: testCertificate, key: pem('test-only-key.pem') }, onRequest)
    : http.createServer(onRequest);
  return listen(server, received, tls ? 'https' : 'http');
}

/** A TCP receiver whose bytes the test controls. */
export function startRawReceiver(onSocket: (socket: net.Socket) => void): Promise<Receiver> {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  return listen(server, [], 'http');
}

async function listen(server: net.Server, received: ReceivedRequest[], scheme: string): Promise<Receiver> {
  const sockets = new Set<net.Socket>();
  let connections = 0;
  server.on('connection', (socket: net.Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `${scheme}://127.0.0.1:${port}/hook`,
    received,
    get connections() {
      return connections;
    },
    openSockets: () => sockets.size,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** A lookup with a fixed table of names. */
export function namesFrom(table: Record<string, string[]>): Lookup {
  return (hostname) => {
    const addresses = table[hostname];
    if (addresses) return Promise.resolve(addresses);
    return Promise.reject(Object.assign(new Error(`queryA ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' }));
  };
}
