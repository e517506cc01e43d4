import { openCookieBrowser } from '../../support/cookie-browser';
import { limits } from '../../../src/base/contract/limits';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { copySession } from '../login/fixture';
import { createClient, discover, newAttempt, postToken, tokensOf, type CreatedClient } from './fixture';

jest.setTimeout(120_000);

const PER_GRANT = 8;
const PER_CLIENT = 12;
const FAILURES = 3;

let service: TestService;
let project: TestProject;
beforeAll(async () => {
  // Its own: lower limits.
  service = await startTestService({
    env: {
      HERALD_TRUST_PROXY: '1',
      HERALD_OIDC_FAILURES_PER_MINUTE: String(FAILURES),
      HERALD_OIDC_CLIENT_REQUESTS_PER_MINUTE: String(PER_CLIENT),
      HERALD_OIDC_GRANT_REQUESTS_PER_MINUTE: String(PER_GRANT),
      HERALD_MINI_REQUESTS_PER_MINUTE: '3',
    },
  });
  project = await service.createProject();
});
afterAll(() => service?.stop());

const refreshed = (client: CreatedClient, token: unknown) =>
  postToken(service, client, { grant_type: 'refresh_token', refresh_token: String(token) });

test('a grant and a client have a limit of requests; used refresh tokens beyond the last few go', async () => {
  const client = await createClient(project);
  const { tokens } = await tokensOf(service, await discover(client), { scope: 'openid offline_access' });
  const used = [String(tokens.refresh_token)];
  for (let n = 0; n < PER_GRANT; n += 1) {
    const { status, body } = await refreshed(client, used.at(-1));
    expect(status).toBe(200);
    used.push(String(body['refresh_token']));
  }
  const current = used.pop();
  const kept = await service.pool.query<{ used: number }>(
    `SELECT count(*)::int AS used FROM oidc_records WHERE model = 'RefreshToken' AND consumed_at IS NOT NULL`,
  );
  expect(kept.rows).toEqual([{ used: limits.oidcUsedRefreshTokens }]);

  // The refused request does not use the token up.
  expect(await refreshed(client, current)).toEqual({
    status: 429,
    body: { error: 'temporarily_unavailable', error_description: expect.any(String) },
  });
  await service.pool.query(`DELETE FROM request_counters WHERE key LIKE 'oidc_grant%'`);
  await service.pool.query(`DELETE FROM request_counters WHERE key LIKE 'oidc_client:%'`);
  // A token that was used before the last few is unknown; one of the last few ends the grant.
  expect((await refreshed(client, used[0])).body['error']).toBe('invalid_grant');
  const { rows: left } = await service.pool.query(`SELECT 1 FROM oidc_records WHERE model = 'Grant'`);
  expect(left).toHaveLength(1);
  expect((await refreshed(client, used.at(-1))).status).toBe(400);
  const { rows: ended } = await service.pool.query(`SELECT 1 FROM oidc_records WHERE model = 'Grant'`);
  expect(ended).toHaveLength(0);

  const other = await createClient(project);
  const answers = [];
  for (let n = 0; n < PER_CLIENT + 1; n += 1) answers.push((await refreshed(other, 'unknown')).status);
  expect(answers).toEqual([...Array.from({ length: PER_CLIENT }, () => 400), 429]);
});

test('failed authentications of a client are limited by address; others go on', async () => {
  const client = await createClient(project);
  const attempt = (address: string, secret: string | null) =>
    fetch(`${service.url}/oidc/token`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
      body: new URLSearchParams({
        client_id: client.client_id,
        client_secret: String(secret),
        grant_type: 'refresh_token',
        refresh_token: 'unknown',
      }),
    });
  const statuses = [];
  // One /64.
  for (let n = 0; n < FAILURES + 1; n += 1) statuses.push((await attempt(`2001:db8::${n}`, 'wrong')).status);
  expect(statuses).toEqual([...Array.from({ length: FAILURES }, () => 401), 429]);
  expect((await attempt('2001:db8::1', client.client_secret)).status).toBe(400);
  expect((await attempt('2001:db8:0:1::', 'wrong')).status).toBe(401);
});

test('POST requests of the Mini App are limited by address', async () => {
  const post = async (address: string) => {
    const response = await fetch(`${service.url}/mini/subscribe`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address, 'content-type': 'application/json' },
      body: '{}',
    });
    return [response.status, ((await response.json()) as { code: string }).code];
  };
  for (let n = 0; n < 3; n += 1) expect(await post(`2001:db8:5::${n}`)).toEqual([400, 'validation_failed']);
  expect(await post('2001:db8:5::9')).toEqual([429, 'rate_limit_address']);
  expect(await post('2001:db8:5:1::')).toEqual([400, 'validation_failed']);
});

test('a /48 network has a share of the open logins, and the oldest that was not opened gives way', async () => {
  const owner = await service.createProject();
  const client = await createClient(owner);
  const { url } = await newAttempt(await discover(client));
  const from = (address: string) => openCookieBrowser().get(url, { 'x-forwarded-for': address });
  expect((await from('2001:db8:7::1')).status).toBe(303);
  // As if a hundred had come from other /64 networks of this /48.
  await openLogins(owner, limits.keylessOpenSessionsPerSite - 1, '2001:db8:7::/48');
  expect((await from('2001:db8:7:9::1')).status).toBe(429);
  expect((await from('2001:db8:8::1')).status).toBe(303);

  await openLogins(owner, limits.keylessOpenSessions, 'elsewhere');
  const oldest = await open(owner);
  await service.pool.query(
    `UPDATE auth_sessions SET platform_user_id = '1', channel = 'telegram' WHERE id = $1`,
    [oldest[0]],
  );
  expect((await from('2001:db8:9::1')).status).toBe(303);
  const after = await open(owner);
  // One that a user has opened stays, whatever its age.
  expect([after.includes(oldest[0] ?? ''), after.includes(oldest[1] ?? '')]).toEqual([true, false]);
  expect(after).toHaveLength(oldest.length);
});

const open = async ({ id }: TestProject) =>
  (
    await service.pool.query<{ id: string }>(
      `SELECT id FROM auth_sessions WHERE project_id = $1 AND flow = 'oidc' AND status = 'pending' ORDER BY created_at`,
      [id],
    )
  ).rows.map((row) => row.id);

/** Copies of the project's open login, all from one site. */
async function openLogins(owner: TestProject, count: number, site: string): Promise<void> {
  const [first = ''] = await open(owner);
  const copies = await copySession(service, first, { count, site });
  await service.pool.query(
    `INSERT INTO oidc_logins (session_id, project_id, interaction, address)
     SELECT id, $2, id::text, $3 FROM unnest($1::uuid[]) AS id`,
    [copies, owner.id, site],
  );
}

test('a /48 network and a client have a bound of device codes', async () => {
  const client = await createClient(await service.createProject(), { type: 'public', device: true });
  const from = async (address: string) => {
    const response = await fetch(`${service.url}/oidc/device/auth`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address },
      body: new URLSearchParams({ client_id: client.client_id, scope: 'openid' }),
    });
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  expect(await from('2001:db8:40::1')).toEqual([200, undefined]);
  const counted = (name: string, points: number) =>
    service.pool.query('UPDATE request_counters SET points = $2 WHERE key LIKE $1', [`${name}:%`, points]);
  await counted('oidc_device_site', limits.oidcDeviceCodesPerSite);
  expect(await from('2001:db8:40:9::1')).toEqual([429, 'temporarily_unavailable']);
  expect(await from('2001:db8:41::1')).toEqual([200, undefined]);
  await counted('oidc_device_client', limits.oidcDeviceCodesPerClient);
  expect(await from('2001:db8:42::1')).toEqual([429, 'temporarily_unavailable']);
});
