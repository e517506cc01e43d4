import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';

/** What the server states about a file: nothing, its length, or its length and version. */
export type Statement = 'nothing' | 'length' | 'version';

export interface MediaServer {
  /** A file of this size. The same name is the same URL. */
  file(bytes: number, options?: { name?: string; states?: Statement }): string;
  /** Files get another ETag. */
  change(): void;
  /** How often a file was downloaded; all files without a name. */
  downloads(name?: string): number;
  /** The most downloads at once since the last call. */
  takePeak(): number;
  stop(): Promise<void>;
}

const CHUNK = Buffer.alloc(64 * 1024);

/** Serves files of any size without holding them. */
export async function startMediaServer(): Promise<MediaServer> {
  const counts = new Map<string, number>();
  let version = 1;
  let current = 0;
  let peak = 0;

  const server: Server = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://media');
    const [, states, size, name = ''] = url.pathname.split('/');
    const bytes = Number(size);
    if (states !== 'nothing') res.setHeader('content-length', bytes);
    if (states === 'version') res.setHeader('etag', `"v${version}"`);
    if (req.method === 'HEAD') return void res.writeHead(states === 'nothing' ? 405 : 200).end();
    counts.set(name, (counts.get(name) ?? 0) + 1);
    current += 1;
    peak = Math.max(peak, current);
    res.once('close', () => (current -= 1));
    Readable.from(chunks(bytes)).pipe(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const root = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    file: (bytes, { name = `file-${bytes}`, states = 'version' } = {}) =>
      `${root}/${states}/${bytes}/${name}`,
    change: () => void (version += 1),
    downloads: (name) =>
      name === undefined ? [...counts.values()].reduce((a, b) => a + b, 0) : (counts.get(name) ?? 0),
    takePeak() {
      const taken = peak;
      peak = current;
      return taken;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function* chunks(bytes: number): Generator<Buffer> {
  for (let left = bytes; left > 0; left -= CHUNK.length) {
    yield CHUNK.subarray(0, Math.min(left, CHUNK.length));
  }
}
