import { testCipher, type Installation, type TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { openCookieBrowser } from '../../support/cookie-browser';
import { eventsOf } from '../login/fixture';
import { rotateKeys } from '../../../src/domains/oidc';
import { eventually } from '../../support/eventually';
import {
  AFTER_LOGOUT,
  CALLBACK,
  answer,
  createClient,
  discover,
  followOut,
  logIn,
  newAttempt,
  newestSession,
  newUser,
  openLogin,
  postToken,
  tokensOf,
  type CreatedClient,
} from './fixture';

let service: Installation;
let project: TestProject;
let client: CreatedClient;

beforeAll(async () => {
  service = await useService();
  project = await service.createProject({ name: 'Shop' });
  client = await createClient(project);
});
afterAll(() => service.stop());

const jwks = async () => {
  const response = await fetch(`${service.url}/oidc/jwks`);
  return (await response.json()) as { keys: { kid: string; alg: string; d?: string }[] };
};

test('a client logs a user in through discovery, code and PKCE, and reads the user', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  expect(config.serverMetadata().issuer).toBe(`${service.url}/oidc`);
  expect(config.serverMetadata().jwks_uri).toBe(`${service.url}/oidc/jwks`);
  expect(config.serverMetadata().code_challenge_methods_supported).toEqual(['S256']);
  const before = Math.floor(Date.now() / 1000) - 1;
  const { tokens, callback } = await tokensOf(service, config);
  expect(callback.searchParams.get('iss')).toBe(`${service.url}/oidc`);
  const claims = tokens.claims();
  const { rows } = await service.pool.query('SELECT id FROM subscribers WHERE project_id = $1', [project.id]);
  const profile = {
    sub: rows[0].id,
    name: 'Anna',
    given_name: 'Anna',
    preferred_username: 'anna_k',
    locale: expect.stringMatching(/^(en|ru)$/),
    channel: 'telegram',
  };
  expect(claims).toMatchObject({ ...profile, amr: ['mca'], aud: client.client_id });
  expect(claims?.auth_time).toBeGreaterThanOrEqual(before);
  expect(claims).not.toHaveProperty('email');
  expect(tokens.refresh_token).toBeUndefined();
  expect(tokens.expires_in).toBe(3600);
  expect(await oidc.fetchUserInfo(config, tokens.access_token, String(claims?.sub))).toEqual(profile);
});

test('a login is a session like any other: credit, subscription, workflow, log with the client’s name', async () => {
  const config = await discover(client);
  const { tokens } = await tokensOf(service, config);
  const session = await newestSession(service);
  const { body } = await project.api('GET', '/v1/auth/sessions?flow=oidc&limit=1');
  expect(body.data[0]).toMatchObject({
    session_id: session,
    flow: 'oidc',
    client_name: 'Shop',
    status: 'consumed',
    subscriber_id: tokens.claims()?.sub,
    client_ip: '127.0.0.1',
    user_agent: expect.stringContaining('Firefox'),
  });
  const charged = await service.pool.query('SELECT 1 FROM credit_ledger WHERE session_id = $1', [session]);
  expect(charged.rowCount).toBe(1);
  const names = (await eventsOf(service, project)).map(({ name }) => name);
  expect(names).toContain('subscription.created');
  expect(names).not.toContain('auth.completed');
  // Signalled: the code itself would last for minutes.
  const workflow = service.client.workflow.getHandle(`auth/${session}`);
  expect(await workflow.result()).toEqual({ status: 'consumed', reason: 'the code was used' });
  expect((await workflow.describe()).type).toBe('authSession');
  // The session's code is for nobody.
  const status = await project.api('GET', `/v1/auth/session/${session}/status`);
  expect(status.body).not.toHaveProperty('code');
});

test('a public client logs in with PKCE and gets ES256 if it asks', async () => {
  const spa = await createClient(project, { type: 'public', id_token_alg: 'ES256' });
  expect(spa.client_secret).toBeNull();
  const { tokens } = await tokensOf(service, await discover(spa));
  const jose = await import('jose');
  const keys = jose.createRemoteJWKSet(new URL(`${service.url}/oidc/jwks`));
  const verified = await jose.jwtVerify(String(tokens.id_token), keys, {
    issuer: `${service.url}/oidc`,
    audience: spa.client_id,
  });
  expect(verified.protectedHeader.alg).toBe('ES256');
});

test('refresh tokens rotate, and a reused one ends the family', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const { tokens } = await tokensOf(service, config, { scope: 'openid profile offline_access' });
  const first = String(tokens.refresh_token);
  const refreshed = await oidc.refreshTokenGrant(config, first);
  expect(refreshed.refresh_token).not.toBe(first);
  expect(refreshed.claims()).toMatchObject({ sub: tokens.claims()?.sub, amr: ['mca'] });
  await expect(oidc.refreshTokenGrant(config, first)).rejects.toMatchObject({ error: 'invalid_grant' });
  await expect(oidc.refreshTokenGrant(config, String(refreshed.refresh_token))).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  await expect(
    oidc.fetchUserInfo(config, refreshed.access_token, String(tokens.claims()?.sub)),
  ).rejects.toMatchObject({ status: 401 });
});

test('a request for authorization by POST gets a refresh token too', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const { browser, url, verifier, state, nonce } = await newAttempt(config, {
    scope: 'openid offline_access',
    response_type: 'code',
  });
  const { origin, pathname, searchParams } = new URL(url);
  const repeated = await browser.post(origin + pathname, Object.fromEntries(searchParams));
  expect([repeated.status, repeated.location]).toEqual([303, url]);
  const page = await openLogin(browser, String(repeated.location));
  await answer(service, page);
  const callback = await followOut(service, browser, page.url);
  const tokens = await oidc.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
  });
  expect(tokens.scope?.split(' ')).toContain('offline_access');
  expect(typeof tokens.refresh_token).toBe('string');
  const logout = await browser.post(`${service.url}/oidc/session/end`, { client_id: client.client_id });
  expect(logout.location).toBe(`${service.url}/oidc/session/end?client_id=${client.client_id}`);
  expect((await fetch(`${service.url}/oidc/auth`, { method: 'PUT' })).status).toBe(405);
});

test('of several uses of a refresh token at the same time at most one succeeds', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const { tokens } = await tokensOf(service, config, { scope: 'openid offline_access' });
  const uses = Array.from({ length: 6 }, () => oidc.refreshTokenGrant(config, String(tokens.refresh_token)));
  const results = await Promise.allSettled(uses);
  expect(results.filter(({ status }) => status === 'fulfilled').length).toBeLessThanOrEqual(1);
});

test('a logout with the ID token ends the grant and returns to the site', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const mine = await tokensOf(service, config, { scope: 'openid offline_access' });
  const other = await tokensOf(service, config, { scope: 'openid offline_access' });
  const url = oidc.buildEndSessionUrl(config, {
    id_token_hint: String(mine.tokens.id_token),
    post_logout_redirect_uri: AFTER_LOGOUT,
    state: 'bye-1',
  });
  const returned = await mine.attempt.browser.get(url.href);
  expect(returned.status).toBe(303);
  expect(returned.location).toBe(`${AFTER_LOGOUT}?state=bye-1`);
  await expect(oidc.refreshTokenGrant(config, String(mine.tokens.refresh_token))).rejects.toMatchObject({
    error: 'invalid_grant',
  });
  await oidc.refreshTokenGrant(config, String(other.tokens.refresh_token));
});

test('a logout without an ID token asks, and ends the grant of this browser', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const { tokens, attempt } = await tokensOf(service, config, { scope: 'openid offline_access' });
  const url = `${service.url}/oidc/session/end?client_id=${client.client_id}&post_logout_redirect_uri=${encodeURIComponent(AFTER_LOGOUT)}`;
  const page = await attempt.browser.get(url);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain(
    `form-action 'self' ${new URL(AFTER_LOGOUT).origin}`,
  );
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const forged = await attempt.browser.post(`${service.url}/oidc/session/end/confirm`, {
    xsrf: 'guess',
    logout: 'yes',
  });
  expect(forged.status).toBe(400);
  const done = await attempt.browser.post(`${service.url}/oidc/session/end/confirm`, { xsrf, logout: 'yes' });
  expect(done.location).toBe(AFTER_LOGOUT);
  await expect(oidc.refreshTokenGrant(config, String(tokens.refresh_token))).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});

test('a logout in a browser without a login returns to the site at once', async () => {
  const query = new URLSearchParams({
    client_id: client.client_id,
    post_logout_redirect_uri: AFTER_LOGOUT,
    state: 'bye-2',
  });
  const returned = await openCookieBrowser().get(`${service.url}/oidc/session/end?${query}`);
  expect([returned.status, returned.location]).toEqual([303, `${AFTER_LOGOUT}?state=bye-2`]);
  const { status, location } = await openCookieBrowser().get(`${service.url}/oidc/session/end`);
  expect([status, location]).toEqual([303, `${service.url}/oidc/session/end/success`]);
});

test.each(['profile', 'email', ''])('the scope "%s" is refused before the user is asked', async (scope) => {
  const { browser, url } = await newAttempt(await discover(client), { scope });
  const plain = new URL(url);
  plain.searchParams.delete('nonce');
  const stored = async () =>
    (await service.pool.query(`SELECT 1 FROM oidc_records WHERE model = 'Interaction'`)).rowCount;
  const before = await stored();
  const { searchParams } = await followOut(service, browser, plain.href);
  expect([searchParams.get('error'), searchParams.get('code')]).toEqual(['invalid_scope', null]);
  expect(await stored()).toBe(before);
});

test('a deleted client: its open logins expire at once, its tokens stop working', async () => {
  const doomed = await createClient(project);
  const config = await discover(doomed);
  const { tokens } = await tokensOf(service, config, { scope: 'openid offline_access' });
  const { browser, url } = await newAttempt(config);
  await openLogin(browser, url);
  const session = await newestSession(service);
  expect((await project.api('DELETE', `/v1/oidc/clients/${doomed.client_id}`)).status).toBe(204);
  const { rows } = await service.pool.query('SELECT status FROM auth_sessions WHERE id = $1', [session]);
  expect(rows).toEqual([{ status: 'expired' }]);
  // On a slow server the relay starts the workflow after the response.
  const workflow = service.client.workflow.getHandle(`auth/${session}`);
  expect(await eventually(() => workflow.result())).toMatchObject({ status: 'expired' });
  const me = await fetch(`${service.url}/oidc/me`, {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  expect(me.status).toBe(401);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) };
  expect((await postToken(service, doomed, refresh)).body).toMatchObject({ error: 'invalid_client' });
});

test('after a rotation of the keys old and new ID tokens verify', async () => {
  const jose = await import('jose');
  const config = await discover(client);
  const old = await tokensOf(service, config);
  const published = (await jwks()).keys.map(({ kid }) => kid);
  const rotated = await rotateKeys({ pool: service.pool, cipher: testCipher });
  const keys = await eventually(async () => {
    const now = await jwks();
    return now.keys.length === published.length + 2 ? now : null;
  });
  expect(keys.keys.map(({ kid }) => kid)).toEqual(expect.arrayContaining([...published, ...rotated.created]));
  expect(keys.keys.every((key) => key.d === undefined)).toBe(true);
  const fresh = await tokensOf(service, config);
  const local = jose.createLocalJWKSet(keys as never);
  for (const { tokens } of [old, fresh]) await jose.jwtVerify(String(tokens.id_token), local);
  const kid = (token: unknown) => jose.decodeProtectedHeader(String(token)).kid;
  expect(published).toContain(kid(old.tokens.id_token));
  expect(rotated.created).toContain(kid(fresh.tokens.id_token));
  // Private keys are sealed in the database.
  const { rows } = await service.pool.query<{ sealed: string }>('SELECT sealed FROM oidc_keys');
  expect(rows.every(({ sealed }) => /^k1(\.[\w-]+){3}$/.test(sealed))).toBe(true);
});

test('No, silence and exhausted credits come back as errors of OAuth', async () => {
  const config = await discover(client);
  const refused = await newAttempt(config);
  const declined = await logIn(service, refused, { button: 1 });
  expect(declined.searchParams.get('error')).toBe('access_denied');
  expect(declined.searchParams.get('state')).toBe(refused.state);
  expect(declined.searchParams.get('iss')).toBe(`${service.url}/oidc`);

  const late = await newAttempt(config);
  const page = await openLogin(late.browser, late.url);
  await service.pool.query(`UPDATE auth_sessions SET status = 'expired', decided_at = now() WHERE id = $1`, [
    await newestSession(service),
  ]);
  const expired = await followOut(service, late.browser, page.url);
  expect(expired.searchParams.get('error')).toBe('access_denied');
  expect(expired.searchParams.get('error_description')).toBe('The login expired.');
  expect(expired.searchParams.get('state')).toBe(late.state);
  expect(expired.searchParams.get('iss')).toBe(`${service.url}/oidc`);

  const silent = await newAttempt(config, { prompt: 'none' });
  const required = await silent.browser.get(silent.url);
  expect(new URL(String(required.location)).searchParams.get('error')).toBe('login_required');
});

test('one Yes gives one grant, however often the page asks for it at once', async () => {
  const { browser, url } = await newAttempt(await discover(client));
  const page = await openLogin(browser, url);
  await answer(service, page);
  const grants = async () =>
    (await service.pool.query(`SELECT 1 FROM oidc_records WHERE model = 'Grant'`)).rows.length;
  const before = await grants();
  const reloads = await Promise.all(Array.from({ length: 5 }, () => browser.get(page.url)));
  expect(reloads.filter(({ status }) => status !== 303 && status !== 200)).toEqual([]);
  expect((await grants()) - before).toBe(1);
  const target = reloads.find(({ location }) => location !== null)?.location;
  const callback = await followOut(service, browser, String(target));
  expect(callback.searchParams.get('code')).not.toBeNull();
});

test('every authorization asks, also in a browser that has logged in', async () => {
  const config = await discover(client);
  const first = await newAttempt(config);
  const user = newUser();
  await logIn(service, first, { user });
  const second = await newAttempt(config);
  const page = await openLogin(first.browser, second.url);
  expect(page.status).toBe(200);
  // Another person answers: the browser simply has another user now.
  await answer(service, page);
  const callback = await followOut(service, first.browser, page.url);
  expect(callback.searchParams.get('code')).not.toBeNull();
  // Once the provider has the outcome, the page says that it is over.
  const again = await first.browser.get(page.url);
  expect(again.status).toBe(200);
  expect(again.text).toContain('You are logged in');
});

test('a project without credits sends the browser back as temporarily unavailable', async () => {
  const poor = await service.createProject();
  const config = await discover(await createClient(poor));
  const open = await newAttempt(config);
  const waiting = await openLogin(open.browser, open.url);
  await service.pool.query(
    `INSERT INTO credit_months (project_id, month, used)
     VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), 100)`,
    [poor.id],
  );
  await service.pool.query('UPDATE projects SET grace_started_at = now() WHERE id = $1', [poor.id]);
  // The bot refuses to ask, so the block comes between the question and the answer.
  await service.pool.query(
    `UPDATE auth_sessions SET status = 'declined', decline_reason = 'billing_blocked', decided_at = now() WHERE id = $1`,
    [await newestSession(service)],
  );
  const caught = await followOut(service, open.browser, waiting.url);
  expect(caught.searchParams.get('error')).toBe('temporarily_unavailable');
  const { url, browser } = await newAttempt(config);
  const page = await browser.get(url);
  expect(page.location?.startsWith(CALLBACK)).toBe(true);
  expect(new URL(String(page.location)).searchParams.get('error')).toBe('temporarily_unavailable');
});

test('a removed subscriber: /me is 401, a refresh is invalid_grant', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const { tokens } = await tokensOf(service, config, { scope: 'openid offline_access' });
  const sub = String(tokens.claims()?.sub);
  const removed = await project.api('DELETE', `/v1/subscribers/${sub}`);
  expect(removed.status).toBe(204);
  await expect(oidc.fetchUserInfo(config, tokens.access_token, sub)).rejects.toMatchObject({ status: 401 });
  await expect(oidc.refreshTokenGrant(config, String(tokens.refresh_token))).rejects.toMatchObject({
    error: 'invalid_grant',
  });
});
