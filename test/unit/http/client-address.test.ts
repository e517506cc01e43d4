import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Koa, { type Context } from 'koa';
import { clientAddress } from '../../../src/base/http/client-address';
import { createOwnRequests } from '../../../src/base/http/own-requests';

function serve(hops: number): Promise<Server> {
  const app = new Koa({ proxy: hops > 0 });
  app.use(clientAddress(hops));
  app.use((ctx) => void (ctx.body = ctx.ip));
  const server = createServer(app.callback());
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
}

async function addressSeen(hops: number, forwarded?: string): Promise<string> {
  const server = await serve(hops);
  try {
    const { port } = server.address() as AddressInfo;
    return await new Promise((resolve, reject) => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      request({ host: '127.0.0.1', port, headers, agent: false }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
  } finally {
    server.close();
  }
}

describe('the address of a client', () => {
  it('is the one that a request of this process states, and no client can state one', () => {
    const [own, other] = [createOwnRequests(), createOwnRequests()];
    const clientOf = (headers: Record<string, string>) => {
      const get = (name: string) => headers[name] ?? '';
      return own.clientOf({ get } as Context);
    };
    expect(clientOf(own.headersFor('203.0.113.7'))).toBe('203.0.113.7');
    expect(clientOf(other.headersFor('203.0.113.7'))).toBeNull();
    expect(clientOf({})).toBeNull();
    const [[name, value] = ['', '']] = Object.entries(own.headersFor('203.0.113.7'));
    expect(clientOf({ [name]: value.slice(1) })).toBeNull();
    expect(clientOf({ [name]: `é${value.slice(1)}` })).toBeNull();
  });

  const claimed = '10.9.8.7';

  it.each([
    ['no proxy is trusted', 0, claimed, '127.0.0.1'],
    ['the proxy sends nothing', 1, undefined, '127.0.0.1'],
    ['one proxy appends it', 1, `${claimed}, 203.0.113.7`, '203.0.113.7'],
    ['two proxies append', 2, `${claimed}, 203.0.113.7, 198.51.100.2`, '203.0.113.7'],
    ['fewer have appended than are trusted', 3, '203.0.113.7', '203.0.113.7'],
    ['it has a port', 1, '203.0.113.7:5000', '203.0.113.7'],
    ['it is an IPv6 address', 1, '2001:db8::1', '2001:db8::1'],
    ['it is an IPv6 address with a port', 1, '[2001:db8::1]:5000', '2001:db8::1'],
    ['it is an IPv4 address in IPv6', 1, '::ffff:203.0.113.7', '203.0.113.7'],
    ['it is no address', 1, 'unknown', '127.0.0.1'],
    ['it is empty', 1, '203.0.113.7,', '127.0.0.1'],
    ['it is very long', 1, 'x'.repeat(5_000), '127.0.0.1'],
    ['its zone is very long', 1, `fe80::1%${'a'.repeat(5_000)}`, '127.0.0.1'],
  ])('where %s', async (_case, hops, forwarded, expected) => {
    expect(await addressSeen(hops, forwarded)).toBe(expected);
  });
});
