import { eventually } from '../../support/eventually';
import type { Installation } from '../../support/installation';
import { useService } from '../../support/use-service';
import { createSession } from './fixture';

let service: Installation;
beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

async function sessionsOf(projectId: string): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    'SELECT count(*) AS count FROM auth_sessions WHERE project_id = $1',
    [projectId],
  );
  return rows[0]?.count ?? -1;
}

describe('POST /v1/auth/session', () => {
  test.each([
    ['empty', ''],
    ['of 129 characters', 'x'.repeat(129)],
    ['with a space', 'a b'],
    ['with <', 'a<b'],
    ['with >', 'a>b'],
    ['with &', 'a&b'],
    ['with a letter outside ASCII', 'ключ'],
    ['missing', undefined],
    ['a number', 7],
  ])('a state that is %s is refused, and nothing is created', async (_what, state) => {
    const project = await service.createProject();
    const { status, body } = await project.api('POST', '/v1/auth/session', { state });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.error).toContain('state');
    expect(await sessionsOf(project.id)).toBe(0);
  });

  test('a state of 128 printable characters is taken', async () => {
    const project = await service.createProject();
    await createSession(project, { state: '!"#$%\'()*+,-./:;=?@[\\]^_`{|}~'.padEnd(128, 'x') });
  });

  test.each([
    ['a slash more', 'https://shop.example/back/'],
    ['another port', 'https://shop.example:8443/back'],
    ['user info', 'https://me@shop.example/back'],
    ['another scheme', 'http://shop.example/back'],
    ['a query more', 'https://shop.example/back?x=1'],
    ['no URL at all', 'back'],
  ])('a redirect_uri with %s is invalid_url, and nothing is created', async (_what, redirect_uri) => {
    const project = await service.createProject({
      callback_url: 'https://shop.example/callback',
      redirect_urls: ['https://shop.example/back'],
    });
    const { status, body } = await project.api('POST', '/v1/auth/session', { state: 's', redirect_uri });
    expect([status, body.code]).toEqual([400, 'invalid_url']);
    expect(await sessionsOf(project.id)).toBe(0);
  });

  test('the callback URL and the allow-listed URLs are taken as they are', async () => {
    const project = await service.createProject({
      callback_url: 'https://shop.example/callback',
      redirect_urls: ['https://shop.example/back'],
    });
    await createSession(project, { redirect_uri: 'https://shop.example/back' });
    await createSession(project, { redirect_uri: 'https://shop.example/callback' });
  });

  test.each([
    ['an unknown field', { foo: 1 }, 'foo'],
    ['a client_ip that is no address', { client_ip: '1.2.3' }, 'client_ip'],
    ['a client_ip with a long zone', { client_ip: `fe80::1%${'a'.repeat(5_000)}` }, 'client_ip'],
    ['a short challenge', { code_challenge: 'abc' }, 'code_challenge'],
    ['a method without a challenge', { code_challenge_method: 'S256' }, 'code_challenge'],
    [
      'another method',
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
      'code_challenge_method',
    ],
  ])('%s is named in the error', async (_what, extra, field) => {
    const project = await service.createProject();
    const { status, body } = await project.api('POST', '/v1/auth/session', { state: 's', ...extra });
    expect([status, body.code]).toEqual([400, 'validation_failed']);
    expect(body.error).toContain(field);
  });

  test('twelve at once with a limit of five: five pass, the rest get the true Retry-After', async () => {
    const project = await service.createProject({ sessions_per_hour: null });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => project.api('POST', '/v1/auth/session', { state: 's' })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(7);
    for (const { body, headers } of refused) {
      expect(body).toMatchObject({ code: 'rate_limit_auth_sessions', retryable: true });
      const wait = Number(headers.get('retry-after'));
      expect(wait).toBeGreaterThan(3500);
      expect(wait).toBeLessThanOrEqual(3600);
    }
  });

  test('it works again when the oldest leaves the sliding hour, and Retry-After tells when', async () => {
    const project = await service.createProject({ sessions_per_hour: 5 });
    for (let i = 0; i < 5; i += 1) await createSession(project);
    await service.pool.query(
      `UPDATE auth_sessions SET created_at = clock_timestamp() - interval '59 minutes' WHERE project_id = $1 AND number = 1`,
      [project.id],
    );
    const refused = await project.api('POST', '/v1/auth/session', { state: 's' });
    expect(refused.status).toBe(429);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(60);
    await service.pool.query(
      `UPDATE auth_sessions SET created_at = created_at - interval '61 seconds' WHERE project_id = $1 AND number = 1`,
      [project.id],
    );
    await createSession(project);
    const next = await project.api('POST', '/v1/auth/session', { state: 's' });
    expect(next.body.code).toBe('rate_limit_auth_sessions');
  });

  test('the limit of an address counts only what names that address, and works again when the oldest leaves the hour', async () => {
    const project = await service.createProject({ sessions_per_address: 2 });
    for (let i = 0; i < 3; i += 1) await createSession(project);
    await createSession(project, { client_ip: '203.0.113.1' });
    await createSession(project, { client_ip: '203.0.113.1' });
    const refused = await project.api('POST', '/v1/auth/session', { state: 's', client_ip: '203.0.113.1' });
    expect([refused.status, refused.body.code]).toEqual([429, 'rate_limit_auth_sessions']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3500);
    await createSession(project, { client_ip: '203.0.113.2' });
    await service.pool.query(
      `UPDATE auth_sessions SET created_at = created_at - interval '3601 seconds'
       WHERE id = (SELECT id FROM auth_sessions WHERE project_id = $1 AND client_ip = '203.0.113.1' ORDER BY number LIMIT 1)`,
      [project.id],
    );
    await createSession(project, { client_ip: '203.0.113.1' });
  });

  test.each([
    ['2001:DB8::1', '2001:db8:0::1'],
    ['::ffff:203.0.113.5', '203.0.113.5'],
  ])('%s and %s are one address, and each is shown as given', async (one, other) => {
    const project = await service.createProject({ sessions_per_address: 2 });
    await createSession(project, { client_ip: one });
    await createSession(project, { client_ip: other });
    for (const client_ip of [one, other]) {
      const refused = await project.api('POST', '/v1/auth/session', { state: 's', client_ip });
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limit_auth_sessions']);
    }
    const { data } = (await project.api('GET', '/v1/auth/sessions')).body;
    expect(data).toMatchObject([{ client_ip: other }, { client_ip: one }]);
  });

  test('requests at the same moment are counted one after the other, and refused ones use up no number', async () => {
    const project = await service.createProject({ sessions_per_hour: 20, sessions_per_address: 3 });
    const open = (body: object) => project.api('POST', '/v1/auth/session', { state: 's', ...body });
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, () => open({ client_ip: '203.0.113.7' })),
      ...Array.from({ length: 10 }, () => open({ redirect_uri: 'https://elsewhere.example/' })),
      ...Array.from({ length: 30 }, () => open({})),
    ]);
    const count = (answered: typeof answers, status: number) =>
      answered.filter((answer) => answer.status === status).length;
    expect(count(answers.slice(10, 20), 400)).toBe(10);
    expect(count(answers.slice(0, 10), 201)).toBeLessThanOrEqual(3);
    expect(count(answers, 201)).toBe(20);
    const { rows } = await service.pool.query<{ number: number; mine: number }>(
      `SELECT number, count(*) FILTER (WHERE client_ip = '203.0.113.7') OVER ()::int AS mine
       FROM auth_sessions WHERE project_id = $1 ORDER BY number`,
      [project.id],
    );
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect(rows[0]?.mine).toBe(count(answers.slice(0, 10), 201));
  });
});

describe('GET /v1/auth/link', () => {
  test('gives the static links, configured only with a callback URL', async () => {
    const bare = await service.createProject({ slug: 'bare-shop' });
    const without = await bare.api('GET', '/v1/auth/link');
    expect(without.body).toEqual({
      telegram_link: expect.stringContaining('start=auth_bare-shop') as string,
      max_link: expect.stringContaining('start=auth_bare-shop') as string,
      configured: false,
    });
    const shop = await service.createProject({ callback_url: 'https://shop.example/cb' });
    const { body } = await shop.api('GET', '/v1/auth/link');
    expect(body.configured).toBe(true);
  });
});

describe('GET /v1/auth/session/{id}/status and qr', () => {
  test('an id in capitals names the same session', async () => {
    const project = await service.createProject();
    const { session_id } = await createSession(project);
    const { status, body } = await project.api('GET', `/v1/auth/session/${session_id.toUpperCase()}/status`);
    expect([status, body.status]).toEqual([200, 'pending']);
  });

  test('many sessions polled at the same moment each get their own answer', async () => {
    const [mine, other] = [await service.createProject(), await service.createProject()];
    const foreign: (number | undefined)[] = [];
    // Of two polls of a session at the same moment one is too fast, whichever comes second; a slow machine may need several
    // rounds for a moment of less than a second.
    await eventually(async () => {
      const sessions = await Promise.all(Array.from({ length: 5 }, () => createSession(mine)));
      const own = await Promise.all(
        sessions.map(async ({ session_id }) => {
          const polls = [mine, other, mine].map(({ api }) =>
            api('GET', `/v1/auth/session/${session_id}/status`),
          );
          const [first, theirs, second] = (await Promise.all(polls)).map(({ status }) => status);
          foreign.push(theirs);
          return [first, second].sort();
        }),
      );
      expect(own).toEqual(sessions.map(() => [200, 429]));
      return true;
    });
    expect(new Set(foreign)).toEqual(new Set([404]));
  });

  test('the first poll is pending; too fast ones are slow_down; a steady poller recovers', async () => {
    const project = await service.createProject();
    const { session_id } = await createSession(project);
    const path = `/v1/auth/session/${session_id}/status`;
    const first = await project.api('GET', path);
    expect(first.body).toEqual({ status: 'pending', expires_in: expect.any(Number) as number, interval: 2 });
    /** Moves the accepted poll, so that the test does not depend on the speed of the machine; returns its time. */
    const moveTo = async (seconds: number) => {
      const { rows } = await service.pool.query<{ at: string }>(
        `UPDATE auth_polls SET polled_at = clock_timestamp() + make_interval(secs => $2) WHERE session_id = $1
         RETURNING polled_at::text AS at`,
        [session_id, seconds],
      );
      return rows[0]?.at;
    };
    const accepted = await moveTo(30);
    const fast = await project.api('GET', path);
    expect([fast.status, fast.body.code]).toEqual([429, 'slow_down']);
    expect(Number(fast.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    // A rejected poll does not push the window forward: the second is counted from the accepted one.
    const { rows } = await service.pool.query(
      'SELECT polled_at::text AS at FROM auth_polls WHERE session_id = $1',
      [session_id],
    );
    expect(rows).toEqual([{ at: accepted }]);
    await moveTo(-1);
    const later = await project.api('GET', path);
    expect(later.status).toBe(200);
  });

  test.each(['00000000-0000-4000-8000-000000000000', 'nonsense'])(
    'an unknown id (%s) is not_found',
    async (id) => {
      const project = await service.createProject();
      const { status, body } = await project.api('GET', `/v1/auth/session/${id}/status`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    },
  );

  test("another project's session is not_found, by status and by qr", async () => {
    const [mine, other] = [await service.createProject(), await service.createProject()];
    const { session_id } = await createSession(mine);
    for (const what of ['status', 'qr']) {
      const { status, body } = await other.api('GET', `/v1/auth/session/${session_id}/${what}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
  });

  test.each(['-1', '26', 'x'])('wait=%s is refused', async (wait) => {
    const project = await service.createProject();
    const { session_id } = await createSession(project);
    const { status, body } = await project.api('GET', `/v1/auth/session/${session_id}/status?wait=${wait}`);
    expect([status, body.code]).toEqual([400, 'validation_failed']);
  });

  test('a QR picture comes as svg and png, with the key or by the open qr_url', async () => {
    const project = await service.createProject();
    const session = await createSession(project);
    const path = `/v1/auth/session/${session.session_id}/qr`;
    const svg = await fetch(`${service.url}${path}?channel=max&format=svg`, {
      headers: { authorization: `Bearer ${project.api_key}` },
    });
    expect(svg.headers.get('content-type')).toContain('image/svg+xml');
    expect(await svg.text()).toContain('<svg');
    const png = await fetch(`${session.qr_url}?channel=telegram&format=png`);
    expect(png.headers.get('content-type')).toBe('image/png');
    expect(
      Buffer.from(await png.arrayBuffer())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    const bad = await project.api('GET', `${path}?format=gif`);
    expect(bad.status).toBe(400);
  });

  test('session id, start token and page token are three values with nothing in common', async () => {
    const project = await service.createProject();
    const session = await createSession(project);
    const start = new URL(session.telegram_link).searchParams.get('start')?.slice(2) ?? '';
    const page = session.hosted_url.split('/').at(-1) ?? '';
    expect(new Set([session.session_id, start, page]).size).toBe(3);
    const { rows } = await service.pool.query<{ row: string }>(
      'SELECT row_to_json(s)::text AS row FROM auth_sessions s WHERE id = $1',
      [session.session_id],
    );
    expect(rows[0]?.row).not.toContain(start);
    expect(rows[0]?.row).not.toContain(page);
  });
});
