import { limits } from '../../../src/base/contract/limits';
import { startTestService, type TestService } from '../../support/service';
import { copySession } from '../login/fixture';

jest.setTimeout(120_000);

let service: TestService;
beforeAll(async () => {
  // Its own: the sign-ins of an installation share their bounds.
  service = await startTestService({ queues: [], env: { HERALD_TRUST_PROXY: '1' } });
});
afterAll(() => service?.stop());

const { keylessOpenSessions, keylessOpenSessionsPerSite } = limits;

async function signIn(address: string) {
  const response = await fetch(`${service.url}/dashboard/login`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
  });
  const { login_id, code } = (await response.json()) as { login_id?: string; code?: string };
  return { status: response.status, id: login_id ?? '', code, wait: response.headers.get('retry-after') };
}

async function open(): Promise<string[]> {
  const { rows } = await service.pool.query<{ id: string }>(
    `SELECT id FROM auth_sessions WHERE status = 'pending' AND site IS NOT NULL ORDER BY created_at`,
  );
  return rows.map(({ id }) => id);
}

test('a /48 network has a share of the open sign-ins, exact for concurrent ones; other networks can sign in', async () => {
  const { id } = await signIn('2001:db8:7::1');
  await copySession(service, id, { count: keylessOpenSessionsPerSite - 3, site: '2001:db8:7::/48' });
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, n) => signIn(`2001:db8:7:${(n + 1).toString(16)}::1`)),
  );
  const refused = results.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(6);
  for (const each of refused) {
    expect(each).toMatchObject({ status: 429, code: 'rate_limit_sign_in', wait: '60' });
  }
  expect(await open()).toHaveLength(keylessOpenSessionsPerSite);
  expect((await signIn('2001:db8:8::1')).status).toBe(201);
  expect((await signIn('203.0.113.7')).status).toBe(201);
});

test('at the bound of all networks the oldest unopened sign-in expires; opened ones stay', async () => {
  const { id } = await signIn('2001:db8:20::1');
  const missing = keylessOpenSessions - (await open()).length;
  await copySession(service, id, { count: missing, site: 'elsewhere' });
  const before = await open();
  expect(before).toHaveLength(keylessOpenSessions);
  await service.pool.query(
    `UPDATE auth_sessions SET platform_user_id = '1', channel = 'telegram' WHERE id = $1`,
    [before[0]],
  );
  const next = await signIn('2001:db8:21::1');
  expect(next.status).toBe(201);
  expect(await open()).toEqual([before[0], ...before.slice(2), next.id]);

  await service.pool.query(
    `UPDATE auth_sessions SET platform_user_id = id::text, channel = 'telegram' WHERE status = 'pending'`,
  );
  expect(await signIn('2001:db8:22::1')).toMatchObject({ status: 429, code: 'rate_limit_sign_in' });
});
