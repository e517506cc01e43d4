import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { postFile } from '../../../src/domains/bots/media/multipart';
import { readMultipart } from '../../../src/local/simulator/multipart';

const CHUNK = Buffer.alloc(64 * 1024, 1);
const CHUNKS = 1_000;

async function receiving(
  receive: (req: IncomingMessage) => Promise<string>,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((req, res) => {
    receive(req).then(
      (text) => res.end(text),
      (error: Error) => res.writeHead(500).end(error.message),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('an upload', () => {
  it('reads its source no faster than the platform takes it', async () => {
    let pulled = 0;
    let taken = 0;
    let widest = 0;
    async function* chunks() {
      for (let n = 0; n < CHUNKS; n += 1) {
        pulled += CHUNK.length;
        yield CHUNK;
      }
    }
    const slowly = async (req: IncomingMessage) => {
      for await (const chunk of req as AsyncIterable<Buffer>) {
        taken += chunk.length;
        widest = Math.max(widest, pulled - taken);
        for (let turn = 0; turn < 3; turn += 1) await nextTurn();
      }
      return 'ok';
    };
    await receiving(slowly, async (url) => {
      const source = { chunks: chunks(), bytes: CHUNKS * CHUNK.length, name: 'large.bin' };
      const response = await postFile({
        url,
        fields: {},
        field: 'data',
        source,
        signal: AbortSignal.timeout(60_000),
      });
      expect(response).toMatchObject({ status: 200, text: 'ok' });
    });
    expect(pulled).toBe(CHUNKS * CHUNK.length);
    // Sockets hold a few megabytes; without back pressure it would be nearly all.
    expect(widest / pulled).toBeLessThan(0.25);
  });

  it.each([null, 3 * CHUNK.length])('is a form that the platform can read (length %s)', async (bytes) => {
    async function* chunks() {
      yield Buffer.from('\r\n--');
      for (let n = 0; n < 3; n += 1) yield CHUNK;
    }
    const read = async (req: IncomingMessage) =>
      JSON.stringify(await readMultipart(req, req.headers['content-type'] ?? ''));
    await receiving(read, async (url) => {
      const response = await postFile({
        url,
        fields: { chat_id: '1', caption: 'é "quoted"\r\n' },
        field: 'document',
        source: { chunks: chunks(), bytes: bytes === null ? null : bytes + 4, name: 'файл.pdf' },
        signal: AbortSignal.timeout(60_000),
      });
      expect(JSON.parse(response.text)).toEqual({
        chat_id: '1',
        caption: 'é "quoted"\r\n',
        document: { name: 'файл.pdf', bytes: 3 * CHUNK.length + 4 },
      });
    });
  });

  it('whose source breaks off never looks complete to the platform', async () => {
    let completed = false;
    const read = async (req: IncomingMessage) => {
      await readMultipart(req, req.headers['content-type'] ?? '');
      completed = true;
      return 'ok';
    };
    async function* chunks() {
      yield CHUNK;
      await nextTurn();
      throw new Error('the source broke off');
    }
    await receiving(read, async (url) => {
      for (const bytes of [null, 10 * CHUNK.length]) {
        const upload = postFile({
          url,
          fields: {},
          field: 'data',
          source: { chunks: chunks(), bytes, name: 'x' },
          signal: AbortSignal.timeout(60_000),
        });
        await expect(upload).rejects.toThrow();
      }
    });
    expect(completed).toBe(false);
  });
});
