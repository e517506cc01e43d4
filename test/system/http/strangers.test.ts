import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { routeSpecs } from '../../../sdk/generator/routes';
import { startTestService, type TestService } from '../../support/service';

jest.setTimeout(120_000);

const PER_ADDRESS = 3;

let service: TestService;
beforeAll(async () => {
  // Its own: a lower limit.
  const env = { HERALD_TRUST_PROXY: '1', HERALD_ADDRESS_REQUESTS_PER_MINUTE: String(PER_ADDRESS) };
  service = await startTestService({ queues: [], roles: 'api,worker', env });
});
afterAll(() => service?.stop());

const page = readFileSync(path.join(__dirname, '..', '..', '..', 'docs', 'security.md'), 'utf8');
const section = page.slice(page.indexOf('## What a stranger may call'));
/** Each documented route with its bound of requests. */
const documented = new Map(
  [...section.slice(0, section.indexOf('\n## ', 1)).matchAll(/^\| (`[A-Z]+ .+?`) +\| ([^|]+)\|/gm)].flatMap(
    ([, routes = '', requests = '']) =>
      [...routes.matchAll(/`([A-Z]+ [^`]+)`/g)].map(([, route = '']) => [route, requests.trim()] as const),
  ),
);
const countedByAddress = [...documented].filter(([, requests]) => /^address|: address$/.test(requests));

/** A request without a key, with a new id each time. */
const filled = (route: string) =>
  route.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'token') return randomBytes(16).toString('hex');
    return name === 'color' ? 'aabbcc' : randomUUID();
  });

async function send(route: string, address: string): Promise<{ status: number; code: unknown }> {
  const [method = '', target = ''] = filled(route).split(' ');
  const response = await fetch(`${service.url}${target}`, {
    method,
    redirect: 'manual',
    headers: { 'x-forwarded-for': address, accept: 'application/json' },
  });
  const text = await response.text();
  return { status: response.status, code: text.startsWith('{') ? JSON.parse(text).code : undefined };
}

const randomAddress = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`;

test('every route without a key is documented with its bounds', () => {
  const keyless = routeSpecs().filter(({ auth }) => auth === 'none');
  expect(keyless.length).toBeGreaterThan(15);
  const missing = keyless
    .map(({ method, path: of }) => `${method} ${of}`)
    .filter((each) => !documented.has(each));
  expect(missing).toEqual([]);
  const uncounted = keyless.filter((spec) => spec.uncounted).map(({ method, path: of }) => `${method} ${of}`);
  expect(uncounted).toEqual(['GET /healthz', 'GET /readyz']);
  for (const { method, path: of } of keyless.filter((spec) => !spec.uncounted)) {
    expect(documented.get(`${method} ${of}`)).toMatch(/^address|of an unknown form: address$/);
  }
});

test.each([...countedByAddress.map(([route]) => route), 'GET /unknown/{id}', 'POST /unknown/{id}'])(
  '%s is refused to an address with too many requests',
  async (route) => {
    const address = randomAddress();
    const statuses = [];
    for (let n = 0; n < PER_ADDRESS; n += 1) statuses.push((await send(route, address)).status);
    expect(statuses).not.toContain(429);
    expect(await send(route, address)).toEqual({ status: 429, code: 'rate_limit_address' });
    expect((await send(route, randomAddress())).status).not.toBe(429);
  },
);

test('probes and the token endpoint, which has limits of its own, are not counted by address', async () => {
  const address = randomAddress();
  for (const [route, status] of [
    ['GET /healthz', 200],
    ['GET /readyz', 200],
    ['POST /oidc/token', 400],
    ['GET /oidc/me', 401],
  ] as const) {
    for (let n = 0; n <= PER_ADDRESS; n += 1) expect((await send(route, address)).status).toBe(status);
  }
});

test('a logout without a login stores nothing', async () => {
  const stored = async () => {
    const { rows } = await service.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM oidc_records',
    );
    return rows[0]?.count;
  };
  expect(await send('GET /oidc/session/end', randomAddress())).toMatchObject({ status: 303 });
  expect(await stored()).toBe(0);
});
