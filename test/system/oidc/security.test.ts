import { openCookieBrowser } from '../../support/cookie-browser';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
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
  project = await service.createProject();
  client = await createClient(project);
});
afterAll(() => service.stop());

const authorizeWith = async (parameters: Record<string, string>, of = client) =>
  newAttempt(await discover(of), parameters);

describe('redirect URIs', () => {
  test.each([
    [`${CALLBACK}/`],
    [`${CALLBACK}?x=1`],
    [CALLBACK.toUpperCase()],
    [CALLBACK.replace('4000', '4001')],
    ['https://evil.example/callback'],
    [`${CALLBACK}#x`],
  ])('%s is not the registered one: a page, no redirect', async (redirect_uri) => {
    const { browser, url } = await authorizeWith({ redirect_uri });
    const page = await browser.get(url);
    expect([page.status, page.location]).toEqual([400, null]);
    expect(page.text).toContain('This login did not work');
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  test('an error is sent to a registered address only', async () => {
    const bad = await authorizeWith({ redirect_uri: 'https://evil.example/', prompt: 'none' });
    expect((await bad.browser.get(bad.url)).location).toBeNull();
    const unknown = await bad.browser.get(
      `${service.url}/oidc/auth?client_id=6f1f7a52-0d3a-4b8e-9d3c-000000000000&response_type=code&scope=openid&redirect_uri=${CALLBACK}`,
    );
    expect([unknown.status, unknown.location]).toEqual([400, null]);
  });

  test('a logout returns to a registered address only', async () => {
    const { tokens, attempt } = await tokensOf(service, await discover(client));
    for (const hint of [`id_token_hint=${tokens.id_token}`, `client_id=${client.client_id}`]) {
      const page = await attempt.browser.get(
        `${service.url}/oidc/session/end?${hint}&post_logout_redirect_uri=${encodeURIComponent('https://evil.example/')}`,
      );
      expect([page.status, page.location]).toEqual([400, null]);
    }
    // Nor with an ID token that the provider did not sign.
    const forged = String(tokens.id_token).replace(/\.[^.]+$/, '.c2lnbmF0dXJl');
    const page = await attempt.browser.get(
      `${service.url}/oidc/session/end?id_token_hint=${forged}&post_logout_redirect_uri=${encodeURIComponent(AFTER_LOGOUT)}`,
    );
    expect([page.status, page.location]).toEqual([400, null]);
  });
});

test('a form_post response works under the strict policy, to the registered address only', async () => {
  const { browser, url } = await authorizeWith({ response_mode: 'form_post', prompt: 'none' });
  const page = await browser.get(url);
  expect(page.text).toContain(`action="${CALLBACK}"`);
  const policy = page.headers.get('content-security-policy');
  expect(policy).toContain(`form-action 'self' ${new URL(CALLBACK).origin}`);
  expect(policy).toMatch(/script-src 'self' 'sha256-/);
  const bad = await authorizeWith({ response_mode: 'form_post', redirect_uri: 'https://evil.example/' });
  const refused = await bad.browser.get(bad.url);
  expect(refused.text).not.toContain('evil.example/"');
  expect(refused.headers.get('content-security-policy')).not.toContain('evil.example');
});

describe('PKCE', () => {
  test('a public client cannot leave it out', async () => {
    const spa = await createClient(project, { type: 'public' });
    const { browser } = await authorizeWith({}, spa);
    const page = await browser.get(
      `${service.url}/oidc/auth?client_id=${spa.client_id}&response_type=code&scope=openid&redirect_uri=${encodeURIComponent(CALLBACK)}&state=s`,
    );
    expect(new URL(String(page.location)).searchParams.get('error')).toBe('invalid_request');
  });

  test('`plain` is refused', async () => {
    const { browser, url } = await authorizeWith({ code_challenge_method: 'plain' });
    const page = await browser.get(url);
    expect(new URL(String(page.location)).searchParams.get('error')).toBe('invalid_request');
  });

  test('a code with a challenge needs its verifier, and one without takes none', async () => {
    const grant = (code: string | null, more: Record<string, string>) =>
      postToken(service, client, {
        grant_type: 'authorization_code',
        code: code ?? '',
        redirect_uri: CALLBACK,
        ...more,
      });
    const bound = await logIn(service, await authorizeWith({}));
    const code = bound.searchParams.get('code');
    expect((await grant(code, {})).body).toMatchObject({ error: 'invalid_grant' });
    expect((await grant(code, { code_verifier: 'a'.repeat(43) })).body).toMatchObject({
      error: 'invalid_grant',
    });
    const { browser } = await authorizeWith({});
    const url = `${service.url}/oidc/auth?client_id=${client.client_id}&response_type=code&scope=openid&redirect_uri=${encodeURIComponent(CALLBACK)}`;
    const free = await logIn(service, { browser, url });
    expect(
      (await grant(free.searchParams.get('code'), { code_verifier: 'a'.repeat(43) })).body,
    ).toMatchObject({ error: 'invalid_grant' });
  });
});

test('mix-up: every response names the issuer, and a client refuses another one', async () => {
  const oidc = await import('openid-client');
  const config = await discover(client);
  const attempt = await newAttempt(config);
  const callback = await logIn(service, attempt);
  expect(callback.searchParams.get('iss')).toBe(`${service.url}/oidc`);
  callback.searchParams.set('iss', 'https://other.example');
  await expect(
    oidc.authorizationCodeGrant(config, callback, {
      pkceCodeVerifier: attempt.verifier,
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
    }),
  ).rejects.toThrow();
  const declined = await logIn(service, await newAttempt(config), { button: 1 });
  expect(declined.searchParams.get('iss')).toBe(`${service.url}/oidc`);
});

test('a code works for its own client only, with its own redirect URI', async () => {
  const other = await createClient(project, { redirect_uris: [CALLBACK, AFTER_LOGOUT] });
  const foreign = await createClient(await service.createProject());
  const attempt = await authorizeWith({});
  const callback = await logIn(service, attempt);
  const code = String(callback.searchParams.get('code'));
  const form = { grant_type: 'authorization_code', code, code_verifier: attempt.verifier };
  for (const thief of [other, foreign]) {
    const stolen = await postToken(service, thief, { ...form, redirect_uri: CALLBACK });
    expect([stolen.status, stolen.body['error']]).toEqual([400, 'invalid_grant']);
  }
  const moved = await postToken(service, client, { ...form, redirect_uri: AFTER_LOGOUT });
  expect(moved.body['error']).toBe('invalid_grant');
  const wrong = await postToken(
    service,
    { ...client, client_secret: foreign.client_secret },
    { ...form, redirect_uri: CALLBACK },
  );
  expect([wrong.status, wrong.body['error']]).toEqual([401, 'invalid_client']);
});

test('a replayed code ends everything that came from it; of concurrent uses at most one succeeds', async () => {
  const attempt = await authorizeWith({ scope: 'openid offline_access' });
  const callback = await logIn(service, attempt);
  const form = {
    grant_type: 'authorization_code',
    code: String(callback.searchParams.get('code')),
    code_verifier: attempt.verifier,
    redirect_uri: CALLBACK,
  };
  const first = await postToken(service, client, form);
  expect(first.status).toBe(200);
  expect((await postToken(service, client, form)).body['error']).toBe('invalid_grant');
  const me = await fetch(`${service.url}/oidc/me`, {
    headers: { authorization: `Bearer ${String(first.body['access_token'])}` },
  });
  expect(me.status).toBe(401);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(first.body['refresh_token']) };
  expect((await postToken(service, client, refresh)).body['error']).toBe('invalid_grant');

  const racing = await authorizeWith({});
  const code = String((await logIn(service, racing)).searchParams.get('code'));
  const uses = Array.from({ length: 6 }, () =>
    postToken(service, client, { ...form, code, code_verifier: racing.verifier }),
  );
  const succeeded = (await Promise.all(uses)).filter(({ status }) => status === 200);
  expect(succeeded.length).toBeLessThanOrEqual(1);
});

test('a refresh or a code that meets a fault of the database can be used again', async () => {
  const attempt = await authorizeWith({ scope: 'openid offline_access' });
  const code = String((await logIn(service, attempt)).searchParams.get('code'));
  const form = {
    grant_type: 'authorization_code',
    code,
    code_verifier: attempt.verifier,
    redirect_uri: CALLBACK,
  };
  // Tokens cannot be stored.
  const breakDown = () =>
    service.pool.query(`CREATE FUNCTION refuse_token() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        RAISE EXCEPTION 'no room'; END $$;
      CREATE TRIGGER refuse_token BEFORE INSERT ON oidc_records FOR EACH ROW
        WHEN (NEW.model = 'AccessToken') EXECUTE FUNCTION refuse_token()`);
  const mend = () =>
    service.pool.query(
      'DROP TRIGGER IF EXISTS refuse_token ON oidc_records; DROP FUNCTION IF EXISTS refuse_token()',
    );
  const whileBroken = async (request: Record<string, string>) => {
    try {
      await breakDown();
      return (await postToken(service, client, request)).status;
    } finally {
      await mend();
    }
  };
  expect(await whileBroken(form)).toBeGreaterThanOrEqual(500);
  const tokens = await postToken(service, client, form);
  expect(tokens.status).toBe(200);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens.body['refresh_token']) };
  expect(await whileBroken(refresh)).toBeGreaterThanOrEqual(500);
  expect((await postToken(service, client, refresh)).status).toBe(200);
});

test('a request by HEAD, as link previews make it, starts no login', async () => {
  const { url } = await authorizeWith({});
  const before = await newestSession(service);
  const { status, headers } = await fetch(url, { method: 'HEAD', redirect: 'manual' });
  expect([status, headers.get('allow')]).toEqual([405, 'GET, POST']);
  expect(await newestSession(service)).toBe(before);
});

test('a stolen link of the interaction is worth nothing in another browser', async () => {
  const attempt = await authorizeWith({});
  const page = await openLogin(attempt.browser, attempt.url);
  const thief = openCookieBrowser();
  expect((await thief.get(page.url)).status).toBe(403);
  expect((await thief.get(`${page.url}/status`)).status).toBe(404);
  await answer(service, page);
  expect((await thief.get(page.url)).status).toBe(403);
  const onward = await attempt.browser.get(page.url);
  expect(onward.status).toBe(303);
  expect(onward.location).toContain(`${service.url}/oidc/auth/`);
  const stolen = await thief.get(String(onward.location));
  expect([stolen.status, stolen.location]).toEqual([400, null]);
  expect(stolen.text).toContain('This login has ended');
  // The right browser goes on, also after a reload.
  await attempt.browser.get(page.url);
  const callback = await followOut(service, attempt.browser, page.url);
  expect(callback.searchParams.get('code')).not.toBeNull();
});

test('a login of one browser cannot be pushed onto another (CSRF)', async () => {
  const victim = await authorizeWith({});
  await openLogin(victim.browser, victim.url);
  const attacker = await authorizeWith({});
  const page = await openLogin(attacker.browser, attacker.url);
  await answer(service, page);
  const onward = await attacker.browser.get(page.url);
  const forced = await victim.browser.get(String(onward.location));
  expect([forced.status, forced.location]).toEqual([400, null]);
});

test('no page can be framed, stored or leak its address, and cookies are out of reach of scripts', async () => {
  const { browser, url } = await authorizeWith({});
  const authorization = await browser.get(url);
  const pages = [
    authorization,
    await browser.get(String(authorization.location)),
    await browser.get(`${service.url}/oidc/device`),
    await browser.get(`${service.url}/oidc/auth`),
    await browser.get(`${service.url}/oidc/session/end/success`),
  ];
  for (const { headers } of pages) {
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('cache-control')).toContain('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
  }
  const cookies = authorization.headers.getSetCookie();
  expect(cookies.length).toBeGreaterThanOrEqual(3);
  expect(cookies.every((cookie) => /samesite=lax/i.test(cookie) && /httponly/i.test(cookie))).toBe(true);
});

test('tokens and secrets are stored as hashes', async () => {
  const { tokens } = await tokensOf(service, await discover(client), { scope: 'openid offline_access' });
  const { rows } = await service.pool.query<{ text: string }>(
    `SELECT row_to_json(r)::text AS text FROM oidc_records r
     UNION ALL SELECT row_to_json(s)::text FROM oidc_client_secrets s`,
  );
  const stored = rows.map(({ text }) => text).join('\n');
  for (const secret of [tokens.access_token, tokens.refresh_token, client.client_secret]) {
    expect(stored).not.toContain(String(secret));
  }
});

test('an old secret works for 24 hours after a rotation', async () => {
  const rotating = await createClient(project);
  const attempt = (secret: string | null) =>
    postToken(
      service,
      { ...rotating, client_secret: secret },
      {
        grant_type: 'authorization_code',
        code: 'x',
        redirect_uri: CALLBACK,
      },
    );
  const rotated = await project.api('POST', `/v1/oidc/clients/${rotating.client_id}/rotate-secret`);
  expect(rotated.status).toBe(200);
  expect(rotated.body.client_secret).not.toBe(rotating.client_secret);
  expect((await attempt(rotated.body.client_secret)).body['error']).toBe('invalid_grant');
  expect((await attempt(rotating.client_secret)).body['error']).toBe('invalid_grant');
  await service.pool.query(
    `UPDATE oidc_client_secrets SET expires_at = now() WHERE client_id = $1 AND expires_at IS NOT NULL`,
    [rotating.client_id],
  );
  expect((await attempt(rotating.client_secret)).body['error']).toBe('invalid_client');
  expect((await attempt(rotated.body.client_secret)).body['error']).toBe('invalid_grant');
});

test('clients of another project and of a stopped one do not exist', async () => {
  const stranger = await service.createProject();
  const path = `/v1/oidc/clients/${client.client_id}`;
  expect((await stranger.api('GET', path)).status).toBe(404);
  const unchanged = await project.api('PATCH', path, {});
  expect([unchanged.status, unchanged.body]).toEqual([200, (await project.api('GET', path)).body]);
  expect((await stranger.api('PATCH', path, { name: 'Mine' })).status).toBe(404);
  expect((await stranger.api('POST', `${path}/rotate-secret`)).status).toBe(404);
  expect((await stranger.api('DELETE', path)).status).toBe(404);
  expect((await stranger.api('GET', '/v1/oidc/clients')).body.data).toEqual([]);
  const theirs = await createClient(stranger);
  const { browser, url } = await authorizeWith({}, theirs);
  const { tokens } = await tokensOf(service, await discover(theirs), { scope: 'openid offline_access' });
  const me = () =>
    fetch(`${service.url}/oidc/me`, { headers: { authorization: `Bearer ${tokens.access_token}` } });
  expect((await me()).status).toBe(200);
  await service.pool.query('UPDATE projects SET active = false WHERE id = $1', [stranger.id]);
  expect((await browser.get(url)).status).toBe(400);
  expect((await me()).status).toBe(401);
  const refresh = { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) };
  expect((await postToken(service, theirs, refresh)).body).toMatchObject({ error: 'invalid_client' });
});

test.each(['https://*.shop.example/cb', 'https://*/cb'])(
  'a redirect URI names one host: %s is refused',
  async (uri) => {
    const { status, body } = await project.api('POST', '/v1/oidc/clients', {
      name: 'App',
      redirect_uris: [uri],
    });
    expect([status, body.code]).toEqual([400, 'invalid_url']);
  },
);

test('a project has ten clients at most, exactly', async () => {
  const owner = await service.createProject();
  const created = await Promise.all(
    Array.from({ length: 14 }, () =>
      owner.api('POST', '/v1/oidc/clients', { name: 'App', redirect_uris: ['https://app.example/cb'] }),
    ),
  );
  expect(created.filter(({ status }) => status === 201)).toHaveLength(10);
  expect(created.filter(({ status }) => status === 409)).toHaveLength(4);
});

test('20 logins an hour from an address, of IPv6 from a /64: a page, no redirect', async () => {
  const limited = await createClient(await service.createProject());
  const { url } = await authorizeWith({}, limited);
  const from = (address: string) => openCookieBrowser().get(url, { 'x-forwarded-for': address });
  const pages = await Promise.all(
    Array.from({ length: 24 }, (_, index) => from(`2001:db8:1:2::${(index + 1).toString(16)}`)),
  );
  expect(pages.filter(({ status }) => status === 303)).toHaveLength(20);
  const refused = pages.filter(({ status }) => status === 429);
  expect(refused).toHaveLength(4);
  expect(refused[0]?.location).toBeNull();
  expect(refused[0]?.text).toContain('Too many logins');
  expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(3_000);
  expect((await from('2001:db8:1:3::1')).status).toBe(303);
  expect((await from('203.0.113.9')).status).toBe(303);
});

test('1,000 open logins in a project, exactly; sessions of the API are not counted', async () => {
  const owner = await service.createProject({ sessions_per_hour: 5 });
  const busy = await createClient(owner);
  const { url } = await authorizeWith({}, busy);
  await service.pool.query(
    `INSERT INTO auth_sessions (project_id, flow, site, expires_at, workflow_started_at, channel, platform_user_id)
     SELECT $1, 'oidc', 'elsewhere', now() + interval '10 minutes', now(), 'telegram', n FROM generate_series(1, 997) n`,
    [owner.id],
  );
  const pages = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      openCookieBrowser().get(url, { 'x-forwarded-for': `203.0.113.${index + 20}` }),
    ),
  );
  // Those that nobody has opened yet give way to newer ones.
  expect(pages.filter(({ status }) => status === 303)).toHaveLength(8);
  const open = await service.pool.query(
    `UPDATE auth_sessions SET channel = 'telegram', platform_user_id = '1' WHERE project_id = $1 AND status = 'pending'`,
    [owner.id],
  );
  expect(open.rowCount).toBe(1_000);
  const refused = await openCookieBrowser().get(url, { 'x-forwarded-for': '203.0.113.40' });
  expect([refused.status, refused.location]).toEqual([429, null]);
  expect(refused.text).toContain('Too many people');
  const session = await owner.api('POST', '/v1/auth/session', { state: 's', client_ip: '203.0.113.20' });
  expect(session.status).toBe(201);
  await service.pool.query('DELETE FROM auth_sessions WHERE project_id = $1', [owner.id]);
});
