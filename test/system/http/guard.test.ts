import pino from 'pino';
import { z } from 'zod';
import { AppError } from '../../../src/base/contract/errors';
import { createApp } from '../../../src/base/http/app';
import { createHealthRoutes } from '../../../src/base/http/health-routes';
import { Binary, route, type Route } from '../../../src/base/http/route';
import { startServer, type RunningServer } from '../../../src/base/http/server';
import { expectError } from './fixture';

const lines: string[] = [];

/** A small API of its own: what a guard does is the same for every route. */
function routes(): Route[] {
  const common = { tag: 'Test', auth: 'none' as const, errors: [], summary: 'A test' };
  return [
    route(
      {
        ...common,
        method: 'POST',
        path: '/things/{id}',
        params: z.strictObject({ id: z.uuid() }),
        query: z.strictObject({ size: z.coerce.number().int().optional() }),
        body: z.strictObject({ name: z.string(), note: z.string().optional() }),
        status: 201,
        response: z.strictObject({ id: z.string(), name: z.string(), size: z.number().nullable() }),
      },
      async ({ params, body, query }) => ({ id: params.id, name: body.name, size: query.size ?? null }),
    ),
    route(
      {
        ...common,
        method: 'POST',
        path: '/named/{name}',
        params: z.strictObject({ name: z.string() }),
        status: 204,
      },
      async () => undefined,
    ),
    route(
      {
        ...common,
        method: 'POST',
        path: '/optional',
        body: z.strictObject({ a: z.string().optional() }),
        status: 204,
      },
      async () => undefined,
    ),
    route({ ...common, method: 'GET', path: '/picture', status: 200, response: ['image/png'] }, async () => {
      return new Binary('image/png', Buffer.from([1, 2, 3]));
    }),
    route(
      { ...common, method: 'GET', path: '/untrue', status: 200, response: z.strictObject({ a: z.string() }) },
      async () => ({ a: 1, secret: 'inside' }),
    ),
    route({ ...common, method: 'GET', path: '/fault', status: 200 }, async () => {
      throw new TypeError('the secret cause');
    }),
    route({ ...common, method: 'GET', path: '/odd-fault', status: 200 }, async () => {
      throw null;
    }),
    route({ ...common, method: 'GET', path: '/own-code', status: 200 }, async () => {
      throw new AppError('invalid_url', 'url: points into a private network');
    }),
    route(
      {
        ...common,
        method: 'GET',
        path: '/better-code',
        status: 200,
        query: z.strictObject({
          url: z.string().refine((url) => url.startsWith('https:'), {
            params: { error: new AppError('invalid_url', 'url: must be https') },
          }),
        }),
      },
      async () => undefined,
    ),
    ...createHealthRoutes({
      parts: [
        { name: 'database', required: true, check: async () => {} },
        { name: 'temporal', required: true, check: () => Promise.reject(new Error('gone')) },
        { name: 'sleepy', required: true, check: () => new Promise(() => {}) },
      ],
    }),
  ];
}

describe('a guarded route', () => {
  let server: RunningServer;
  let url: string;

  beforeAll(async () => {
    const docsUrl = () => 'http://docs.example/errors';
    const app = createApp(
      { routes: routes() },
      {
        authenticate: () => Promise.reject(new AppError('unauthorized')),
        countRequest: () => Promise.reject(new Error('not needed here')),
        runOnce: () => Promise.reject(new Error('not needed here')),
        audited: () => Promise.reject(new Error('not needed here')),
        checkResponses: true,
        log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
        docsUrl,
        stopping: () => false,
        trustedProxies: 0,
        httpsOnly: false,
      },
    );
    server = await startServer({ app, host: '127.0.0.1', port: 0, docsUrl });
    url = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.stop(1_000));

  async function call(method: string, path: string, body?: unknown) {
    const response = await fetch(url + path, {
      method,
      ...(body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      body: json ? (JSON.parse(text) as unknown) : text,
    };
  }

  const id = '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01';

  it('passes the parsed request on and returns the status that it documents', async () => {
    expect(await call('POST', `/things/${id}?size=4`, { name: 'a' })).toMatchObject({
      status: 201,
      body: { id, name: 'a', size: 4 },
    });
  });

  it('names every field at fault, and where it lies', async () => {
    expectError(await call('POST', `/things/${id}?size=x`, { name: 'a' }), 'validation_failed', /^size: /);
    expectError(
      await call('POST', `/things/${id}?colour=red`, { name: 'a' }),
      'validation_failed',
      'colour: is not a',
    );
    expectError(await call('POST', `/things/${id}`, { note: 1 }), 'validation_failed', /name: .*; note: /);
    expectError(await call('POST', `/things/${id}`, []), 'validation_failed', /^body: /);
    expectError(await call('POST', `/things/${id}`, null), 'validation_failed', /^body: /);
  });

  it('returns not_found for a malformed id', async () => {
    expectError(await call('POST', '/things/7', { name: 'a' }), 'not_found');
    expectError(await call('POST', '/things/%E0%A4%A', { name: 'a' }), 'not_found');
    expectError(await call('POST', '/named/a%00', {}), 'not_found');
    expect(await call('POST', '/named/a', {})).toMatchObject({ status: 204 });
  });

  it('needs no body where every field is optional', async () => {
    expect(await call('POST', '/optional')).toMatchObject({ status: 204, body: '' });
    expect(await call('POST', '/optional', {})).toMatchObject({ status: 204 });
  });

  it('accepts no body, or an empty object, where a route has none', async () => {
    expect(await call('POST', '/named/a')).toMatchObject({ status: 204 });
    for (const body of [{ zz: 1 }, [], 'text', null]) {
      expectError(await call('POST', '/named/a', body), 'validation_failed');
    }
  });

  it('can return a picture', async () => {
    const response = await fetch(`${url}/picture`);
    expect(response.headers.get('content-type')).toBe('image/png');
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual([1, 2, 3]);
  });

  it('can let a field name a better code than validation_failed', async () => {
    expectError(await call('GET', '/better-code?url=http://a'), 'invalid_url', 'url: must be https');
    expectError(await call('GET', '/own-code'), 'invalid_url', 'private network');
  });

  it('turns a fault of our own into internal_error, and writes the cause to the log only', async () => {
    for (const path of ['/fault', '/odd-fault', '/untrue']) {
      expectError(await call('GET', path), 'internal_error');
    }
    const { body } = await call('GET', '/fault');
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(lines.join()).toContain('the secret cause');
  });

  it('says on /readyz which parts are missing, and waits for none for long', async () => {
    expectError(
      await call('GET', '/readyz'),
      'service_unavailable',
      'Not ready: temporal, sleepy unavailable.',
    );
    expect(await call('GET', '/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('writes one line for each request: its route, never the address itself', async () => {
    lines.length = 0;
    await call('POST', `/things/${id}?size=4`, { name: 'Anna' });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      method: 'POST',
      route: '/things/{id}',
      status: 201,
      request_id: expect.any(String),
      ms: expect.any(Number),
      msg: 'request',
    });
    expect(lines[0]).not.toMatch(/Anna|4f0c6a6e|size/);
  });
});
