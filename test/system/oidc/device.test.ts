import { eventually } from '../../support/eventually';
import { openCookieBrowser } from '../../support/cookie-browser';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { statusInDatabase } from '../login/fixture';
import {
  answer,
  createClient,
  discover,
  followOut,
  newAttempt,
  newestSession,
  openLogin,
  postToken,
  type CreatedClient,
} from './fixture';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

let service: Installation;
let project: TestProject;
let client: CreatedClient;

beforeAll(async () => {
  service = await useService();
  project = await service.createProject();
  client = await createClient(project, { name: 'TV', type: 'public', device: true });
});
afterAll(() => service.stop());

interface DeviceCode {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

async function newDevice(scope = 'openid profile offline_access'): Promise<DeviceCode> {
  const response = await fetch(`${service.url}/oidc/device/auth`, {
    method: 'POST',
    headers: { 'user-agent': 'Living room TV' },
    body: new URLSearchParams({ client_id: client.client_id, scope }),
  });
  expect(response.status).toBe(200);
  return (await response.json()) as DeviceCode;
}

/** Opens the link that a device shows; the page has the QR codes. */
async function openLink(url: string) {
  const browser = openCookieBrowser();
  const opened = await browser.get(url);
  expect(opened.status).toBe(303);
  return { browser, page: await browser.get(String(opened.location)) };
}

/** As if the time between two polls had passed. */
const rest = () => service.pool.query(`UPDATE oidc_records SET polled_at = NULL WHERE model = 'DeviceCode'`);

const poll = async ({ device_code }: DeviceCode) => {
  await rest();
  return postToken(service, client, { grant_type: GRANT, device_code });
};

test('a device logs in: the link shows QR codes and the code, and the tokens need no browser', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const device = await oidc.initiateDeviceAuthorization(config, { scope: 'openid profile offline_access' });
  expect(device.verification_uri).toBe(`${service.url}/oidc/device`);
  const { page } = await openLink(String(device.verification_uri_complete));
  expect(page.text).toContain('/qr?channel=telegram');
  expect(page.text).toContain('/qr?channel=max');
  expect(page.text).toContain(device.user_code);
  await answer(service, page);
  const tokens = await oidc.pollDeviceAuthorizationGrant(config, { ...device, interval: 0.1 });
  const claims = tokens.claims();
  expect(claims).toMatchObject({ name: 'Anna', amr: ['mca'] });
  expect(await oidc.fetchUserInfo(config, tokens.access_token, String(claims?.sub))).toMatchObject({
    channel: 'telegram',
  });
  await oidc.refreshTokenGrant(config, String(tokens.refresh_token));
  const workflow = service.client.workflow.getHandle(`auth/${await newestSession(service)}`);
  expect(await workflow.result()).toEqual({ status: 'consumed', reason: 'the code was used' });
});

test('the link shows the QR codes to a client without cookies too', async () => {
  const device = await newDevice();
  const page = await fetch(device.verification_uri_complete);
  expect(page.status).toBe(200);
  expect(await page.text()).toContain('/qr?channel=telegram');
  const status = await fetch(`${page.url}/status`);
  expect([status.status, ((await status.json()) as { status: string }).status]).toEqual([200, 'pending']);
});

test('a device needs the scope openid', async () => {
  const response = await fetch(`${service.url}/oidc/device/auth`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: client.client_id, scope: 'profile' }),
  });
  expect([response.status, await response.json()]).toEqual([
    400,
    expect.objectContaining({ error: 'invalid_scope' }),
  ]);
});

test('a wrong method names those that are allowed', async () => {
  const refused = async (method: string, path: string) => {
    const response = await fetch(`${service.url}/oidc${path}`, { method });
    return [response.status, response.headers.get('allow')];
  };
  expect(await refused('GET', '/token')).toEqual([405, 'POST']);
  expect(await refused('POST', '/jwks')).toEqual([405, 'GET, HEAD']);
  expect(await refused('POST', '/device')).toEqual([405, 'GET']);
});

test('the page ends with the outcome, and the log names the device that asked', async () => {
  const device = await newDevice();
  const { browser, page } = await openLink(device.verification_uri_complete);
  await answer(service, page);
  expect((await browser.get(page.url)).text).toContain('return to your device');
  const { body } = await project.api('GET', '/v1/auth/sessions?flow=oidc&limit=1');
  expect(body.data[0]).toMatchObject({ client_name: 'TV', user_agent: 'Living room TV' });
  expect((await poll(device)).status).toBe(200);
  expect((await poll(device)).body['error']).toBe('invalid_grant');
});

test('a login is redeemed together with its grant, by a device as by the page: after a fault both can try again', async () => {
  const whileNoGrantIsStored = async (request: () => Promise<{ status: number }>) => {
    await service.pool.query(`CREATE FUNCTION refuse_grant() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'no room'; END $$;
      CREATE TRIGGER refuse_grant BEFORE INSERT ON oidc_records FOR EACH ROW
        WHEN (NEW.model = 'Grant') EXECUTE FUNCTION refuse_grant()`);
    try {
      expect((await request()).status).toBeGreaterThanOrEqual(500);
    } finally {
      await service.pool.query('DROP TRIGGER refuse_grant ON oidc_records; DROP FUNCTION refuse_grant()');
    }
    expect(await statusInDatabase(service, await newestSession(service))).toBe('confirmed');
  };

  const device = await newDevice();
  await answer(service, (await openLink(device.verification_uri_complete)).page);
  await whileNoGrantIsStored(() => poll(device));
  expect((await poll(device)).status).toBe(200);
  expect(await statusInDatabase(service, await newestSession(service))).toBe('consumed');

  const { browser, url } = await newAttempt(await discover(await createClient(project)));
  const page = await openLogin(browser, url);
  await answer(service, page);
  await whileNoGrantIsStored(() => browser.get(page.url));
  expect((await followOut(service, browser, page.url)).searchParams.get('code')).not.toBeNull();
  expect(await statusInDatabase(service, await newestSession(service))).toBe('consumed');
});

test('authorization_pending, slow_down, access_denied and expired_token as in the RFC', async () => {
  const device = await newDevice();
  expect(device.interval).toBe(5);
  const form = { grant_type: GRANT, device_code: device.device_code };
  expect((await postToken(service, client, form)).body['error']).toBe('authorization_pending');
  // The second of two within five seconds; a slow machine may need several to make two.
  await eventually(async () => (await postToken(service, client, form)).body['error'] === 'slow_down');
  const { page } = await openLink(device.verification_uri_complete);
  expect((await poll(device)).body['error']).toBe('authorization_pending');
  await answer(service, page, { button: 1 });
  expect((await poll(device)).body['error']).toBe('access_denied');

  const unpaid = await newDevice();
  await openLink(unpaid.verification_uri_complete);
  await service.pool.query(
    `UPDATE auth_sessions SET status = 'declined', decline_reason = 'billing_blocked', decided_at = now() WHERE id = $1`,
    [await newestSession(service)],
  );
  expect((await poll(unpaid)).body['error']).toBe('temporarily_unavailable');

  const old = await newDevice();
  await service.pool.query(
    `UPDATE oidc_records SET payload = payload || jsonb_build_object('exp', 1700000000), expires_at = now() - interval '1 minute'
     WHERE user_code = $1`,
    [old.user_code.replace('-', '')],
  );
  expect((await poll(old)).body['error']).toBe('expired_token');
  expect((await openCookieBrowser().get(old.verification_uri_complete)).status).toBe(400);
});

test('the login of a device ends with its code: a later Yes would never arrive', async () => {
  const device = await newDevice();
  const userCode = device.user_code.replace('-', '');
  await service.pool.query(
    `UPDATE oidc_records SET payload = payload || jsonb_build_object('exp', extract(epoch FROM now())::int + 120)
     WHERE user_code = $1`,
    [userCode],
  );
  await openLink(device.verification_uri_complete);
  const { rows } = await service.pool.query<{ ends: boolean }>(
    `SELECT s.expires_at <= to_timestamp((r.payload ->> 'exp')::int) AS ends
     FROM auth_sessions s, oidc_records r WHERE s.id = $1 AND r.user_code = $2`,
    [await newestSession(service), userCode],
  );
  expect(rows).toEqual([{ ends: true }]);
});

test('a person can type the code, in any form; a wrong one is refused', async () => {
  const device = await newDevice();
  const browser = openCookieBrowser();
  const form = await browser.get(device.verification_uri);
  expect(form.text).toContain('name="user_code"');
  const typed = device.user_code.toLowerCase().replace('-', ' ');
  const opened = await browser.get(`${device.verification_uri}?user_code=${encodeURIComponent(typed)}`);
  expect(opened.status).toBe(303);
  const wrong = await browser.get(`${device.verification_uri}?user_code=BBBB-BBBB`);
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain('wrong or has expired');
});

test('only clients with `device` may use it, and only with their own codes', async () => {
  const other = await createClient(project);
  const refused = await fetch(`${service.url}/oidc/device/auth`, {
    method: 'POST',
    body: new URLSearchParams({
      client_id: other.client_id,
      client_secret: String(other.client_secret),
      scope: 'openid',
    }),
  });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    expect.objectContaining({ error: 'unauthorized_client' }),
  ]);
  const device = await newDevice();
  const thief = await createClient(await service.createProject(), { type: 'public', device: true });
  const unasked = await postToken(service, other, { grant_type: GRANT, device_code: device.device_code });
  expect([unasked.status, unasked.body['error']]).toEqual([400, 'unauthorized_client']);
  const stolen = await postToken(service, thief, { grant_type: GRANT, device_code: device.device_code });
  expect(stolen.body['error']).toBe('invalid_grant');
});
