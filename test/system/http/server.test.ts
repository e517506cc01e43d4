import { Agent, request } from 'undici';
import pino from 'pino';
import { createApp } from '../../../src/base/http/app';
import { route } from '../../../src/base/http/route';
import { startServer, type ServerOptions } from '../../../src/base/http/server';
import { eventually } from '../../support/eventually';
import { MIB } from '../../../src/base/contract/limits';
import { expectEnvelope, receiveAll, sendLarge, sendRaw } from './fixture';

const docsUrl = () => 'http://docs.example/errors';

/** A server whose one route answers when it is told to. */
async function startSlowServer(options: Pick<ServerOptions, 'headersTimeoutMs'> = {}) {
  const state = { stopping: false, waiting: 0, release: () => {} };
  const released = new Promise<void>((resolve) => (state.release = resolve));
  const slow = route(
    { method: 'GET', path: '/slow', tag: 'Test', auth: 'none', errors: [], summary: 'Slow', status: 204 },
    async () => {
      state.waiting += 1;
      await released;
    },
  );
  const quick = route(
    { method: 'GET', path: '/quick', tag: 'Test', auth: 'none', errors: [], summary: 'Quick', status: 204 },
    async () => undefined,
  );
  const take = route(
    { method: 'POST', path: '/take', tag: 'Test', auth: 'none', errors: [], summary: 'Take', status: 204 },
    async () => undefined,
  );
  const app = createApp(
    { routes: [slow, quick, take] },
    {
      authenticate: () => Promise.reject(new Error('not needed here')),
      countRequest: () => Promise.reject(new Error('not needed here')),
      runOnce: () => Promise.reject(new Error('not needed here')),
      audited: () => Promise.reject(new Error('not needed here')),
      checkResponses: true,
      log: pino({ level: 'silent' }),
      docsUrl,
      stopping: () => state.stopping,
      trustedProxies: 0,
      httpsOnly: false,
    },
  );
  const server = await startServer({ app, host: '127.0.0.1', port: 0, docsUrl, ...options });
  return { ...server, state, url: `http://127.0.0.1:${server.port}` };
}

describe('a server that stops', () => {
  it('lets a running request finish and takes no new connection', async () => {
    const { url, state, stop } = await startSlowServer();
    const running = fetch(`${url}/slow`);
    await eventually(() => state.waiting === 1);
    state.stopping = true;
    const stopped = stop(60_000);
    await expect(fetch(`${url}/quick`)).rejects.toThrow();
    state.release();
    expect((await running).status).toBe(204);
    await stopped;
  });

  it('serves a request on a connection that is still open, and closes the connection with the response', async () => {
    const { url, state, stop } = await startSlowServer();
    const agent = new Agent({ connections: 1, pipelining: 1 });
    await (await request(`${url}/quick`, { dispatcher: agent })).body.dump();
    state.stopping = true;
    const answer = await request(`${url}/quick`, { dispatcher: agent });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers['connection']).toBe('close');
    await agent.close();
    await stop(1_000);
  });

  it('closes the connection of a request that was running when it began to stop', async () => {
    const { url, state, stop } = await startSlowServer();
    const running = fetch(`${url}/slow`);
    await eventually(() => state.waiting === 1);
    state.stopping = true;
    state.release();
    expect((await running).headers.get('connection')).toBe('close');
    await stop(1_000);
  });

  it('answers a client that is still sending a large body', async () => {
    const { url, state, stop } = await startSlowServer();
    state.stopping = true;
    const answer = await sendLarge(`${url}/quick`, 'none', 8 * MIB, 'keep-alive');
    expectEnvelope(answer, 'method_not_allowed');
    expect(answer.headers.get('connection')).toBe('close');
    await stop(100);
  });

  it('cuts a request that does not end within the limit', async () => {
    const { url, state, stop } = await startSlowServer();
    const running = fetch(`${url}/slow`).then(
      () => 'answered',
      () => 'cut',
    );
    await eventually(() => state.waiting === 1);
    await stop(200);
    expect(await running).toBe('cut');
    state.release();
  });
});

describe('a connection without a complete request', () => {
  let server: Awaited<ReturnType<typeof startSlowServer>>;
  beforeAll(async () => {
    server = await startSlowServer({ headersTimeoutMs: 2_000 });
  });
  afterAll(() => server.stop(100));

  it('is closed without a response if it stayed silent, as the spare connections of browsers do', async () => {
    expect(await receiveAll(server.port, '')).toBe('');
  });

  it('gets the envelope if it stopped within its headers', async () => {
    expectEnvelope(await sendRaw(server.port, 'GET /quick HTTP/1.1\r\nHost: a\r\n'), 'bad_request');
  });
});

describe('a body that ends early', () => {
  it.each([
    ['announced', 'Content-Length: 100\r\n\r\n{"a":1'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n6\r\n{"a":1\r\n'],
  ])('is incomplete: %s', async (_name, rest) => {
    const server = await startSlowServer();
    const head = 'POST /take HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';
    const answer = await sendRaw(server.port, head + rest, { thenEnd: true });
    expectEnvelope(answer, 'validation_failed', /body: is incomplete/);
    await server.stop(100);
  });
});

describe('malformed HTTP', () => {
  let server: Awaited<ReturnType<typeof startSlowServer>>;
  beforeAll(async () => {
    server = await startSlowServer();
  });
  afterAll(() => server.stop(100));

  it.each([
    ['garbage', 'hello\r\n\r\n', 'bad_request'],
    ['an unknown method', 'BREW /quick HTTP/1.1\r\nHost: a\r\n\r\n', 'bad_request'],
    [
      'headers without end',
      `GET /quick HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      'bad_request',
    ],
    [
      'two lengths',
      'POST /quick HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab',
      'bad_request',
    ],
    ['no Host', 'GET /nothing HTTP/1.1\r\nConnection: close\r\n\r\n', 'not_found'],
    [
      'an odd expectation',
      'GET /nothing HTTP/1.1\r\nHost: a\r\nExpect: a-miracle\r\nConnection: close\r\n\r\n',
      'not_found',
    ],
    ['an asterisk for a path', 'OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'not_found'],
    [
      'an address without a path',
      'GET http:// HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
      'bad_request',
    ],
  ] as const)('gets the envelope too: %s', async (_name, bytes, code) => {
    const answer = await sendRaw(server.port, bytes);
    expectEnvelope(answer, code);
    expect(answer.body).toMatchObject({ docs_url: `http://docs.example/errors#${code}` });
  });
});
