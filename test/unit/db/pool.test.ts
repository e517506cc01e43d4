import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type pg from 'pg';
import { withCancellation } from '../../../src/base/db/cancellable';
import { createPool, withTransaction } from '../../../src/base/db/pool';

/** The messages of the PostgreSQL protocol that these tests need: a type, a length and a body. */
function message(type: string, body: Buffer | string): Buffer {
  const bytes = Buffer.from(body);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length + 4);
  return Buffer.concat([Buffer.from(type), length, bytes]);
}
const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', 'I');
const done = Buffer.concat([message('C', 'SELECT 0\0'), ready]);
const terminated = message('E', 'SFATAL\0C57P01\0Mterminating connection\0\0');

/** An `error` event without a listener would end the process, and fails the test. */
describe('a server that ends the connection together with a response', () => {
  const sockets = new Set<Socket>();
  let server: Server;
  let pool: pg.Pool;

  beforeEach(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(Buffer.concat([authenticated, ready]));
        socket.on('data', (data) => {
          // Statements that share a round trip come together.
          for (const query of data.toString('latin1').match(/Q\0\0\0.[^\0]+/gs) ?? []) {
            if (query.includes('last')) socket.end(Buffer.concat([done, terminated]));
            else socket.write(done);
          }
        });
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    pool = createPool({ url: `postgres://herald@127.0.0.1:${port}/herald`, max: 1 });
  });
  afterEach(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
    return pool.end();
  });

  test('while another user waits for the connection: its statements fail, and the pool opens another', async () => {
    const [first, next] = await Promise.allSettled([
      pool.query('SELECT last'),
      withTransaction(pool, (db) => db.query('SELECT 1')),
    ]);
    expect([first.status, next.status]).toEqual(['fulfilled', 'rejected']);
    await withTransaction(pool, (db) => db.query('SELECT 1'));
  });

  test('between two statements of a reader that can be cancelled: the second one fails', async () => {
    const reading = withCancellation(pool, new AbortController().signal, async (db) => {
      await db.query({ text: 'SELECT last' });
      return db.query({ text: 'SELECT 1' });
    });
    await expect(reading).rejects.toThrow();
    await pool.query('SELECT 1');
  });
});
