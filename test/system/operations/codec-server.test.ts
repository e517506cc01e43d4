import pino from 'pino';
import { defaultPayloadConverter } from '@temporalio/common';
import type { RunningServer } from '../../../src/http/server';
import { startCodecServer } from '../../../src/roles/codec-server';
import { createPayloadCodec } from '../../../src/temporal/payload-codec';

const key = { id: 'p1', key: Buffer.alloc(32, 5) };
const token = 'token-of-the-codec;server';
const ui = 'http://127.0.0.1:8233';
let server: RunningServer;
let url: string;
let sealed: { metadata: Record<string, string>; data: string };
beforeAll(async () => {
  server = await startCodecServer({
    keys: [key],
    token,
    host: '127.0.0.1',
    port: 0,
    uiUrl: `${ui}/some/path`,
    log: pino({ level: 'silent' }),
  });
  url = `http://127.0.0.1:${server.port}`;
  const [payload] = await createPayloadCodec([key]).encode([
    defaultPayloadConverter.toPayload({ id: 'seven' })!,
  ]);
  sealed = {
    metadata: Object.fromEntries(
      Object.entries(payload!.metadata!).map(([name, value]) => [
        name,
        Buffer.from(value).toString('base64'),
      ]),
    ),
    data: Buffer.from(payload!.data!).toString('base64'),
  };
});
afterAll(() => server.stop(0));

const decode = (headers: Record<string, string>, payloads: unknown[] = [sealed]) =>
  fetch(`${url}/decode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-namespace': 'default', ...headers },
    body: JSON.stringify({ payloads }),
  });

async function plainOf(response: Response): Promise<unknown> {
  expect(response.status).toBe(200);
  const { payloads } = (await response.json()) as { payloads: { data: string }[] };
  return JSON.parse(Buffer.from(payloads[0]!.data, 'base64').toString());
}

test('the token opens a payload, as the Temporal command line asks for it', async () => {
  expect(await plainOf(await decode({ authorization: `Bearer ${token}` }))).toEqual({ id: 'seven' });
});

test('without the token, or with another, nothing is decrypted', async () => {
  for (const headers of [
    {},
    { authorization: 'Bearer another' },
    { authorization: token },
    { cookie: 'herald_codec=x' },
  ]) {
    const response = await decode(headers as Record<string, string>);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('seven');
  }
});

test('a person who typed the token once reads payloads in the Temporal UI, and on no other page', async () => {
  const form = (given: string) =>
    fetch(url, { method: 'POST', body: new URLSearchParams({ token: given }), redirect: 'manual' });
  expect((await form('wrong-token-of-the-server')).status).toBe(401);
  const signedIn = await form(token);
  const cookie = signedIn.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^herald_codec=[\w-]+;.*samesite=strict; httponly/i);
  expect(cookie).not.toContain(token);
  const carried = { cookie: cookie.split(';')[0]! };

  const shown = await decode({ ...carried, origin: ui });
  expect(shown.headers.get('access-control-allow-origin')).toBe(ui);
  expect(shown.headers.get('access-control-allow-credentials')).toBe('true');
  expect(await plainOf(shown)).toEqual({ id: 'seven' });

  const stolen = await decode({ ...carried, origin: 'https://evil.example' });
  expect(stolen.status).toBe(401);
  expect(stolen.headers.get('access-control-allow-origin')).toBeNull();
});

test('only the Temporal UI is an allowed origin', async () => {
  const preflight = (origin: string) => fetch(`${url}/decode`, { method: 'OPTIONS', headers: { origin } });
  const allowed = await preflight(ui);
  expect(allowed.status).toBe(204);
  expect(allowed.headers.get('access-control-allow-headers')).toContain('x-namespace');
  expect((await preflight('https://evil.example')).headers.get('access-control-allow-origin')).toBeNull();
});

test('an unsealed payload is returned unchanged; one that cannot be opened is an error and not a crash', async () => {
  const headers = { authorization: `Bearer ${token}` };
  const plain = { metadata: { encoding: Buffer.from('json/plain').toString('base64') }, data: 'e30=' };
  expect(await plainOf(await decode(headers, [plain]))).toEqual({});
  expect((await decode(headers, [{ ...sealed, data: 'AAAA' }])).status).toBe(400);
  expect((await decode(headers, [{ data: '…' }])).status).toBe(400);
});
