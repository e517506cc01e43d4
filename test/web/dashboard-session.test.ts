import { limits } from '../../src/base/contract/limits';
import type { Installation, TestProject } from '../support/installation';
import { useService } from '../support/use-service';
import { ownPage } from '../support/own-page';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service?.stop());

describe('signing in to the dashboard', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await service.createProject({ name: 'Shop' });
  });

  const signIn = (key: string, headers: Record<string, string> = ownPage) =>
    service.apiWith(null)('POST', '/dashboard/session', { api_key: key }, headers);

  async function cookieOf(key: string): Promise<string> {
    const { status, headers } = await signIn(key);
    expect(status).toBe(200);
    return headers.getSetCookie()[0]?.split(';')[0] ?? '';
  }

  const withCookie = (cookie: string, method: string, path: string, body?: unknown, headers = {}) =>
    service.apiWith(null)(method, path, body, { cookie, ...ownPage, ...headers });

  it('gives a cookie that no script and no other site can use, and works for the whole API', async () => {
    const { headers, body } = await signIn(project.api_key);
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie.toLowerCase()).toContain('httponly');
    expect(cookie.toLowerCase()).toContain('samesite=strict');
    expect(cookie).not.toContain(project.api_key);
    expect(body.project_id).toBe(project.id);
    const read = await withCookie(cookie.split(';')[0] ?? '', 'GET', '/v1/project');
    expect(read).toMatchObject({ status: 200, body: { name: 'Shop', slug: project.slug } });
    const { status } = await withCookie(cookie.split(';')[0] ?? '', 'GET', '/v1/webhooks');
    expect(status).toBe(200);
  });

  it('refuses a wrong key, a revoked one and one of an inactive project', async () => {
    expect(await signIn('hk_wrong')).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
    const inactive = await service.createProject({ active: false });
    const refusal = { status: 403, body: { code: 'project_inactive' } };
    expect(await signIn(inactive.api_key)).toMatchObject(refusal);
    expect(await inactive.api('GET', '/dashboard/session')).toMatchObject(refusal);
  });

  it('is refused to every page but its own: reads, changes and the sign-in itself', async () => {
    const cookie = await cookieOf(project.api_key);
    const forged = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of forged) {
      for (const [method, path, body] of [
        ['GET', '/v1/project', undefined],
        ['PATCH', '/v1/project', { name: 'Taken over' }],
        ['DELETE', '/dashboard/session', undefined],
      ] as const) {
        const answer = await withCookie(cookie, method, path, body, headers);
        expect([headers, method, answer.status, answer.body.code]).toEqual([
          headers,
          method,
          403,
          'forbidden',
        ]);
      }
    }
    const elsewhere = { ...ownPage, 'sec-fetch-site': 'cross-site' };
    expect((await signIn(project.api_key, elsewhere)).body.code).toBe('forbidden');
    const own = await withCookie(cookie, 'GET', '/v1/project', undefined, { origin: service.url });
    expect(own).toMatchObject({ status: 200, body: { name: 'Shop' } });
  });

  it('works for a client that is no browser, and for an address that the user has typed', async () => {
    const { status, headers } = await signIn(project.api_key, {});
    expect(status).toBe(200);
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const requests = [
      {},
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin', origin: service.url },
    ];
    for (const each of requests) {
      const answer = await service.apiWith(null)('GET', '/v1/project', undefined, { cookie, ...each });
      expect([each, answer.status]).toEqual([each, 200]);
    }
    const foreign = [
      { origin: 'null' },
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const each of foreign) {
      const answer = await service.apiWith(null)('PATCH', '/v1/project', { name: 'x' }, { cookie, ...each });
      expect([each, answer.status]).toEqual([each, 403]);
    }
  });

  it('ends with signing out, with the revocation of the key and when it expires', async () => {
    const first = await cookieOf(project.api_key);
    expect((await withCookie(first, 'DELETE', '/dashboard/session')).status).toBe(204);
    const after = await withCookie(first, 'GET', '/v1/project');
    expect(after).toMatchObject({ status: 401, body: { code: 'unauthorized' } });

    const created = await project.api('POST', '/v1/keys', { name: 'for the dashboard' });
    const second = await cookieOf(created.body.api_key);
    expect((await withCookie(second, 'GET', '/v1/project')).status).toBe(200);
    expect((await project.api('DELETE', `/v1/keys/${created.body.id}`)).status).toBe(204);
    expect((await withCookie(second, 'GET', '/v1/project')).status).toBe(401);

    const third = await cookieOf(project.api_key);
    await service.pool.query('UPDATE dashboard_sessions SET expires_at = now()');
    expect((await withCookie(third, 'GET', '/v1/project')).status).toBe(401);
  });

  it('prefers a key that is sent along, so that scripts are never mistaken for the dashboard', async () => {
    const cookie = await cookieOf(project.api_key);
    const other = await service.createProject({ name: 'Other' });
    const { body } = await other.api('GET', '/v1/project', undefined, { cookie });
    expect(body.name).toBe('Other');
    expect((await service.apiWith('hk_bad')('GET', '/v1/project', undefined, { cookie })).status).toBe(401);
  });

  it('throttles an address after ten wrong keys, and still accepts a right one', async () => {
    await service.pool.query('DELETE FROM request_counters');
    const allowed = limits.dashboardSignInFailures.max;
    for (let i = 0; i < allowed; i += 1) expect((await signIn(`hk_guess${i}`)).status).toBe(401);
    const last = await signIn('hk_guess');
    expect(last).toMatchObject({ status: 429, body: { code: 'rate_limit_sign_in', retryable: true } });
    const wait = Number(last.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(240);
    expect(wait).toBeLessThanOrEqual(300);
    expect((await signIn(project.api_key)).status).toBe(200);
  });
});

describe('what the dashboard shows is in the API', () => {
  let project: TestProject;
  beforeAll(async () => {
    project = await service.createProject({ name: 'Shop' });
  });

  it('changes the project’s settings, and nothing that is the operator’s', async () => {
    const changes = {
      name: 'Better shop',
      callback_url: 'https://shop.example/login?from=herald',
      redirect_urls: ['https://shop.example/app', 'https://shop.example/app'],
      retry_policy: 'quick',
      welcome_en: 'Tea is ready.',
      welcome_ru: null,
      timezone: 'Europe/Berlin',
    };
    const { status, body } = await project.api('PATCH', '/v1/project', changes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ...changes, redirect_urls: ['https://shop.example/app'] });
    expect((await project.api('GET', '/v1/project')).body).toEqual(body);
    expect((await project.api('PATCH', '/v1/project', { callback_url: null })).body.callback_url).toBeNull();
    for (const wrong of [
      { plan: 'basic' },
      { callback_url: 'javascript:alert(1)' },
      { name: ' ' },
      { timezone: 'Europe/Atlantis' },
      { redirect_urls: ['/x'] },
    ]) {
      const refused = await project.api('PATCH', '/v1/project', wrong);
      expect(refused).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
      expect(refused.body.error).toContain(Object.keys(wrong)[0]);
    }
  });

  it('creates, lists and revokes keys; a key is shown once and cannot revoke itself', async () => {
    const created = await project.api('POST', '/v1/keys', { name: 'CI' });
    expect(created.status).toBe(201);
    expect(created.body.api_key).toMatch(/^hk_[0-9A-Za-z]{40}$/);
    const list = await project.api('GET', '/v1/keys');
    expect(JSON.stringify(list.body)).not.toContain(created.body.api_key);
    expect(list.body.data[0]).toMatchObject({
      id: created.body.id,
      name: 'CI',
      current: false,
      revoked_at: null,
    });
    const own = list.body.data.find((key: { current: boolean }) => key.current);
    expect(await project.api('DELETE', `/v1/keys/${own.id}`)).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
    expect((await project.api('DELETE', `/v1/keys/${created.body.id}`)).status).toBe(204);
    expect((await project.api('DELETE', `/v1/keys/${created.body.id}`)).status).toBe(404);
    expect((await service.apiWith(created.body.api_key)('GET', '/v1/project')).status).toBe(401);
    const other = await service.createProject();
    expect((await other.api('DELETE', `/v1/keys/${own.id}`)).status).toBe(404);
  });

  it('lists logins page by page, newest first, without codes and without those of other projects', async () => {
    const other = await service.createProject();
    await other.api('POST', '/v1/auth/session', { state: 'theirs' });
    for (const state of ['one', 'two', 'three']) await project.api('POST', '/v1/auth/session', { state });
    const first = await project.api('GET', '/v1/auth/sessions?limit=2');
    expect(first.body.data.map((session: { state: string }) => session.state)).toEqual(['three', 'two']);
    const second = await project.api('GET', `/v1/auth/sessions?limit=2&cursor=${first.body.next_cursor}`);
    expect(second.body).toMatchObject({
      data: [{ state: 'one', status: 'pending', flow: 'session' }],
      next_cursor: null,
    });
    expect((await project.api('GET', '/v1/auth/sessions?status=confirmed')).body.data).toEqual([]);
    expect((await project.api('GET', '/v1/auth/sessions?status=nonsense')).status).toBe(400);
  });

  it('shows how much of the plan is used, day by day', async () => {
    await service.pool.query(
      `INSERT INTO credit_months SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => ago), used
       FROM (VALUES (0, 3), (1, 41), (12, 7)) AS months (ago, used)`,
      [project.id],
    );
    await service.pool.query(
      `INSERT INTO credit_ledger (session_id, project_id, source) SELECT gen_random_uuid(), $1, 'plan' FROM generate_series(1, 3)`,
      [project.id],
    );
    const { body } = await project.api('GET', '/v1/usage');
    expect(body).toMatchObject({
      plan: 'free',
      logins: 3,
      plan_logins: 100,
      plan_logins_used: 3,
      purchased_credits: 0,
      grace_ends_at: null,
      billing_blocked: false,
    });
    expect(body.months).toEqual([
      { month: body.month, plan_logins_used: 3 },
      { month: expect.any(String), plan_logins_used: 41 },
    ]);
    expect(body.days).toHaveLength(30);
    // Of two days, because midnight may have passed.
    expect(body.days.at(-1).logins + body.days.at(-2).logins).toBe(3);
    expect(body.days[0].date < body.days[29].date).toBe(true);
  });
});
