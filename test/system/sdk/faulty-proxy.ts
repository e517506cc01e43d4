import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../../src/base/contract/errors';

/**
 * `unavailable`: 503 with Retry-After instead of the request. `lost`: the request is carried out, its response is not seen.
 * `broken`: a stream breaks off after its first event.
 */
export type Fault = 'unavailable' | 'lost' | 'broken';

export interface SeenRequest {
  route: string;
  idempotencyKey: string | undefined;
  lastEventId: string | undefined;
  /** What the client got: the status of the service, or the fault. */
  outcome: number | Fault;
}

export interface FaultyProxy {
  url: string;
  seen: SeenRequest[];
  close(): Promise<void>;
}

/** Stands in front of the service and spoils the first request of each route that has a fault. */
export async function startFaultyProxy(target: string, faults: Record<string, Fault>): Promise<FaultyProxy> {
  const seen: SeenRequest[] = [];
  const left = new Map(Object.entries(faults));
  const server = http.createServer((req, res) => void answer(req, res));

  async function answer(req: http.IncomingMessage, res: http.ServerResponse): Promise<void> {
    const body = await buffer(req);
    const route = `${req.method} ${req.url?.split('?')[0]}`;
    const fault = left.get(route);
    left.delete(route);
    const note = (outcome: number | Fault) =>
      seen.push({
        route,
        idempotencyKey: req.headers['idempotency-key'] as string | undefined,
        lastEventId: req.headers['last-event-id'] as string | undefined,
        outcome,
      });
    if (fault === 'unavailable') {
      note(fault);
      res.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' });
      return void res.end(
        JSON.stringify(new AppError('service_unavailable').toEnvelope(`${target}/docs/errors`)),
      );
    }
    const response = await forward(target, req, body);
    if (response.headers['content-type']?.startsWith('text/event-stream')) {
      note(fault ?? (response.statusCode as number));
      res.writeHead(response.statusCode as number, response.headers);
      res.once('close', () => response.destroy());
      if (fault === 'broken') {
        response.on('data', (chunk: Buffer) => {
          const hasEvent = chunk.includes('data: ');
          res.write(chunk, () => hasEvent && req.socket.destroy());
        });
      } else response.pipe(res);
      return;
    }
    const content = await buffer(response);
    note(fault ?? (response.statusCode as number));
    if (fault === 'lost') return void req.socket.destroy();
    res.writeHead(response.statusCode as number, response.headers).end(content);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function forward(
  target: string,
  { method, url, headers }: http.IncomingMessage,
  body: Buffer,
): Promise<http.IncomingMessage> {
  const request = http.request(target + url, { method: method as string, headers });
  request.end(body);
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return response;
}
