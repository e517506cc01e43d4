import { startTestService, type TestProject, type TestService } from '../../support/service';
import { ownPage } from '../../support/own-page';

describe('in production with an https URL', () => {
  let service: TestService;
  let project: TestProject;
  beforeAll(async () => {
    // Its own: the settings of production.
    service = await startTestService({
      roles: 'api',
      env: {
        NODE_ENV: 'production',
        HERALD_HOST: '127.0.0.1',
        HERALD_PUBLIC_URL: 'https://herald.example',
        HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
        HERALD_BOT_UPDATES: 'polling',
        HERALD_TRUST_PROXY: '1',
      },
    });
    project = await service.createProject();
  });
  afterAll(() => service?.stop());

  const signIn = (headers = {}) =>
    service.apiWith(null)(
      'POST',
      '/dashboard/session',
      { api_key: project.api_key },
      { ...ownPage, ...headers },
    );

  it('browsers are told to use https only, on every response', async () => {
    for (const path of ['/docs', '/v1/project', '/nowhere', '/healthz']) {
      const { headers } = await service.apiWith(null)('GET', path);
      expect(headers.get('strict-transport-security')).toBe('max-age=31536000');
    }
  });

  it('the dashboard’s cookie can be set by this host only', async () => {
    const [cookie = ''] = (await signIn()).headers.getSetCookie();
    expect(cookie).toMatch(/^__Host-herald_dashboard=/);
    expect(cookie.toLowerCase()).toMatch(/; path=\/;.*; secure/);
    expect(cookie.toLowerCase()).not.toContain('domain');
    const [value = ''] = cookie.split(';');
    const read = (sent: string) =>
      service.apiWith(null)('GET', '/v1/project', undefined, { ...ownPage, cookie: sent });
    expect((await read(value)).status).toBe(200);
    // The name that any host of the domain could set.
    expect((await read(value.replace('__Host-', ''))).status).toBe(401);
    const out = await service.apiWith(null)('DELETE', '/dashboard/session', undefined, {
      ...ownPage,
      cookie: value,
    });
    expect(out.headers.getSetCookie()[0]).toMatch(/^__Host-herald_dashboard=;/);
    expect((await read(value)).status).toBe(401);
  });

  it('wrong keys are counted by the address that the proxy saw, whatever the client claims', async () => {
    const guess = (forwarded: string) =>
      service.apiWith(null)(
        'POST',
        '/dashboard/session',
        { api_key: 'hk_guess' },
        { ...ownPage, 'x-forwarded-for': forwarded },
      );
    for (let i = 0; i < 10; i += 1) {
      expect((await guess(`198.51.100.${i}, 203.0.113.7`)).status).toBe(401);
    }
    expect((await guess('198.51.100.99, 203.0.113.7')).status).toBe(429);
    expect((await guess('203.0.113.7, 203.0.113.8')).status).toBe(401);
    // A long entry once overflowed the column of the counters.
    for (const odd of ['x'.repeat(4_000), `fe80::1%${'a'.repeat(4_000)}`, ', ,']) {
      expect((await guess(odd)).status).toBe(401);
    }
  });
});

test('in development the cookie has a name that works over http, and https is not forced', async () => {
  const service = await startTestService({ roles: 'api' });
  try {
    const { api_key } = await service.createProject();
    const answer = await service.apiWith(null)('POST', '/dashboard/session', { api_key }, ownPage);
    expect(answer.headers.getSetCookie()[0]).toMatch(/^herald_dashboard=/);
    expect(answer.headers.get('strict-transport-security')).toBeNull();
  } finally {
    await service.stop();
  }
});
