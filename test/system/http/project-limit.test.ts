import { updateProject } from '../../../src/domains/projects/queries/projects';
import type { ApiResponse } from '../../support/api';
import { startTestService, type TestService } from '../../support/service';
import { eventually, SOON_MS } from '../../support/eventually';
import { expectError } from './fixture';
import { ownPage } from '../../support/own-page';
import { insertMemberRow } from '../team/fixture';

const rateHeaders = ({ headers }: ApiResponse) => ({
  limit: Number(headers.get('x-ratelimit-limit')),
  remaining: Number(headers.get('x-ratelimit-remaining')),
  reset: Number(headers.get('x-ratelimit-reset')),
});

describe('the requests a minute of a project', () => {
  let first: TestService;
  let second: TestService;

  beforeAll(async () => {
    // Its own: two processes of one installation.
    first = await startTestService({ roles: 'api' });
    second = await startTestService({ roles: 'api', database: first.database, simulator: first.simulator });
  });
  afterAll(async () => {
    await second.stop();
    await first.stop();
  });

  it('are 300 unless an operator says otherwise', async () => {
    const project = await first.createProject();
    await first.pool.query('UPDATE projects SET requests_per_minute = NULL WHERE id = $1', [project.id]);
    const answer = await project.api('GET', '/v1/event-types');
    expect(rateHeaders(answer)).toMatchObject({ limit: 300, remaining: 299 });
  });

  it('are shown on every response, errors included, with the reset in Unix seconds', async () => {
    const { api, id } = await first.createProject({ requests_per_minute: 50 });
    const before = Date.now() / 1000;
    const answers = [
      await api('GET', '/v1/event-types'),
      await api('POST', '/v1/webhooks', '{'),
      await api('GET', '/v1/webhooks/unknown'),
      await api('GET', '/v1/nothing-here'),
      await api('DELETE', '/v1/event-types'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 404, 404, 405]);
    expect(answers.map((answer) => rateHeaders(answer).remaining)).toEqual([49, 48, 47, 46, 45]);
    await first.pool.query('UPDATE projects SET active = false WHERE id = $1', [id]);
    // Within a second everywhere; the requests until then are counted like any other.
    const inactive = await eventually(async () => {
      const answer = await api('GET', '/v1/event-types');
      return answer.status === 403 ? answer : undefined;
    });
    expect(inactive.body.code).toBe('project_inactive');
    expect(rateHeaders(inactive).remaining).toBeLessThan(45);
    for (const answer of [...answers, inactive]) {
      const { limit, reset } = rateHeaders(answer);
      expect(limit).toBe(50);
      expect(reset).toBeGreaterThanOrEqual(Math.floor(before));
      expect(reset).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000) + 61);
    }
  });

  it('are not shown without a valid key', async () => {
    const answer = await first.apiWith(`hk_${'0'.repeat(40)}`)('GET', '/v1/event-types');
    expect(answer.headers.get('x-ratelimit-limit')).toBeNull();
  });

  it('are exact across two processes: of thirty at once, exactly twenty pass', async () => {
    const project = await first.createProject({ requests_per_minute: 20 });
    const other = second.apiWith(project.api_key);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, n) => (n % 2 ? other : project.api)('GET', '/v1/event-types')),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    const refused = answers.filter((answer) => answer.status !== 200);
    expect(passed).toHaveLength(20);
    expect(refused).toHaveLength(10);
    for (const answer of refused) {
      expectError(answer, 'rate_limit_project');
      expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(60);
      expect(rateHeaders(answer)).toMatchObject({ limit: 20, remaining: 0 });
    }
    const remaining = passed.map((answer) => rateHeaders(answer).remaining);
    expect([...remaining].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, n) => n));
  });

  it('are exact in a burst far from the limit, which is counted later', async () => {
    const project = await first.createProject({ requests_per_minute: 300 });
    await project.api('GET', '/v1/event-types');
    const answers = await Promise.all(
      Array.from({ length: 310 }, () => project.api('GET', '/v1/event-types')),
    );
    const passed = answers.filter((answer) => answer.status === 200);
    expect(passed).toHaveLength(299);
    const remaining = passed.map((answer) => rateHeaders(answer).remaining);
    expect([...remaining].sort((a, b) => a - b)).toEqual(Array.from({ length: 299 }, (_, n) => n));
  });

  describe('of the dashboard', () => {
    const withCookie = (cookie: string) => (method: string, path: string, body?: unknown) =>
      first.apiWith(null)(method, path, body, { ...ownPage, cookie });

    async function signInByKey(key: string) {
      const { headers } = await first.apiWith(null)('POST', '/dashboard/session', { api_key: key }, ownPage);
      return withCookie(headers.getSetCookie()[0]?.split(';')[0] ?? '');
    }

    async function signIn(key: string): Promise<(path: string) => Promise<ApiResponse>> {
      const api = await signInByKey(key);
      return (path) => api('GET', path);
    }

    it('are 600 of each session, and none of the project', async () => {
      const project = await first.createProject({ requests_per_minute: 2 });
      const read = await signIn(project.api_key);
      const colleague = await signIn(project.api_key);
      for (const remaining of [599, 598, 597]) {
        expect(rateHeaders(await read('/v1/project'))).toMatchObject({ limit: 600, remaining });
      }
      expect(rateHeaders(await colleague('/v1/project'))).toMatchObject({ limit: 600, remaining: 599 });
      const byKey = await project.api('GET', '/v1/project');
      expect(rateHeaders(byKey)).toMatchObject({ limit: 2, remaining: 1 });
      await project.api('GET', '/v1/project');
      expectError(await project.api('GET', '/v1/project'), 'rate_limit_project');
      expect((await read('/v1/project')).status).toBe(200);
    });

    it('are refused beyond that, with Retry-After', async () => {
      const project = await first.createProject();
      const read = await signIn(project.api_key);
      await read('/v1/project');
      await first.pool.query(`UPDATE request_counters SET points = 600 WHERE key LIKE 'dashboard:%'`);
      const refused = await read('/v1/project');
      expectError(refused, 'rate_limit_project');
      expect(rateHeaders(refused)).toMatchObject({ limit: 600, remaining: 0 });
      expect((await project.api('GET', '/v1/project')).status).toBe(200);
    });

    it('include those about the sign-in itself, by an account or by a key', async () => {
      const project = await first.createProject({ requests_per_minute: 2 });
      const byAccount = withCookie((await insertMemberRow(first, project, 'owner')).cookie);
      const byKey = await signInByKey(project.api_key);
      const requests: [string, string, unknown?][] = [
        ['GET', '/dashboard/session'],
        ['PUT', '/dashboard/session', { project_id: project.id }],
        ['PATCH', '/dashboard/session', { notify: 'none' }],
        // The operator of this service creates the projects.
        ['POST', '/dashboard/projects', { slug: 'own-project', name: 'Own' }],
      ];
      for (const [api, statuses] of [
        [byAccount, [200, 200, 200, 403]],
        [byKey, [200, 200, 403, 403]],
      ] as const) {
        for (const [n, request] of requests.entries()) {
          const answer = await api(...request);
          expect([request, answer.status]).toEqual([request, statuses[n]]);
          expect(rateHeaders(answer)).toMatchObject({ limit: 600, remaining: 599 - n });
        }
      }
      const withKey = await project.api('GET', '/dashboard/session');
      expect(rateHeaders(withKey)).toMatchObject({ limit: 2, remaining: 1 });
    });

    it('leave a person who has used them up the ways in and out', async () => {
      const project = await first.createProject();
      const byAccount = withCookie((await insertMemberRow(first, project, 'viewer')).cookie);
      const byKey = await signInByKey(project.api_key);
      for (const api of [byAccount, byKey]) {
        await api('GET', '/dashboard/session');
        await first.pool.query(`UPDATE request_counters SET points = 600 WHERE key LIKE 'dashboard:%'`);
        expectError(await api('GET', '/dashboard/session'), 'rate_limit_project');
        expect((await api('POST', '/dashboard/session', { api_key: project.api_key })).status).toBe(200);
        expect((await api('DELETE', '/dashboard/session')).status).toBe(204);
        expect((await api('GET', '/dashboard/session')).status).toBe(401);
      }
    });

    it('come from at most 50 sessions of a key: a further one ends the oldest', async () => {
      const project = await first.createProject();
      const oldest = await signIn(project.api_key);
      const second = await signIn(project.api_key);
      for (let i = 0; i < 49; i += 1) await signIn(project.api_key);
      expect((await oldest('/v1/project')).status).toBe(401);
      expect((await second('/v1/project')).status).toBe(200);
    });
  });

  it('of one project do not touch another', async () => {
    const busy = await first.createProject({ requests_per_minute: 1 });
    const calm = await first.createProject({ requests_per_minute: 1 });
    await busy.api('GET', '/v1/event-types');
    expectError(await busy.api('GET', '/v1/event-types'), 'rate_limit_project');
    expect((await calm.api('GET', '/v1/event-types')).status).toBe(200);
  });

  it('can be raised for a project that has met its limit', async () => {
    const project = await first.createProject({ requests_per_minute: 1 });
    await project.api('GET', '/v1/event-types');
    expectError(await project.api('GET', '/v1/event-types'), 'rate_limit_project');
    await updateProject(first.pool, project.id, { requests_per_minute: 1_000 });
    await eventually(async () => (await project.api('GET', '/v1/event-types')).status === 200, SOON_MS);
  });
});
