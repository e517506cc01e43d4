import { changeProject } from '../../../src/domains/projects/change-project';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  confirmedSession,
  createSession,
  lastBotMessage,
  openAndWait,
  startOf,
  waitForStatus,
} from './fixture';

let service: TestService;
beforeAll(async () => {
  // Its own: it changes the grace period.
  service = await startTestService({ queues: ['logins'] });
});
afterAll(() => service.stop());

async function useUpPlan(project: TestProject, used: number): Promise<void> {
  await service.pool.query(
    `INSERT INTO credit_months (project_id, month, used) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC'), $2)
     ON CONFLICT (project_id, month) DO UPDATE SET used = excluded.used`,
    [project.id, used],
  );
}

async function sourcesOf(project: TestProject): Promise<string[]> {
  const { rows } = await service.pool.query<{ source: string }>(
    'SELECT source FROM credit_ledger WHERE project_id = $1 ORDER BY charged_at',
    [project.id],
  );
  return rows.map(({ source }) => source);
}

/** The events about credits, with what they say. */
async function told(project: TestProject): Promise<[name: string, used: number, purchased: number][]> {
  const { rows } = await service.pool.query<{ name: string; body: string }>(
    `SELECT name, body FROM events WHERE project_id = $1 AND name LIKE 'credits.%' ORDER BY created_at`,
    [project.id],
  );
  return rows.map(({ name, body }) => {
    const { data } = JSON.parse(body) as { data: { used: number; purchased: number } };
    return [name, data.used, data.purchased];
  });
}

/** A grace of no time is over as soon as it has begun, on any day of the month. */
function endGrace(): void {
  service.config.HERALD_GRACE_HOURS = 0;
}
afterEach(() => {
  service.config.HERALD_GRACE_HOURS = 72;
});

test('the 101st free login of a month begins the grace; after it sessions are 402 and a pack lifts it', async () => {
  const project = await service.createProject();
  await useUpPlan(project, 99);
  await confirmedSession(service, project, 'hundredth');
  await confirmedSession(service, project, 'first-of-grace');
  await confirmedSession(service, project, 'second-of-grace');
  expect(await sourcesOf(project)).toEqual(['plan', 'grace', 'grace']);

  const open = await createSession(project);
  await openAndWait(service, 'telegram', 'caught', startOf(open.telegram_link));
  endGrace();
  const refused = await project.api('POST', '/v1/auth/session', { state: 's' });
  expect([refused.status, refused.body.code, refused.body.retryable]).toEqual([
    402,
    'billing_blocked',
    false,
  ]);

  // A Yes that meets exhausted credits declines the session and tells the user.
  await service.control.tap('telegram', 'caught', { button: 'Yes' });
  await waitForStatus(service, open.session_id, 'declined');
  const { body } = await project.api('GET', `/v1/auth/session/${open.session_id}/status`);
  expect(body).toMatchObject({ status: 'declined', reason: 'billing_blocked' });
  await eventually(async () =>
    (await lastBotMessage(service, 'telegram', 'caught'))?.text.includes('can’t accept logins right now'),
  );

  await service.pool.query('UPDATE projects SET purchased_credits = 1 WHERE id = $1', [project.id]);
  await confirmedSession(service, project, 'packed');
  expect(await sourcesOf(project)).toEqual(['plan', 'grace', 'grace', 'pack']);
  expect((await project.api('POST', '/v1/auth/session', { state: 's' })).status).toBe(402);
});

test('the grace period begins with the last credit, whether or not anyone logs in after it', async () => {
  const project = await service.createProject();
  await useUpPlan(project, 99);
  const usage = async () => (await project.api('GET', '/v1/usage')).body;
  expect((await usage()).grace_ends_at).toBeNull();
  await confirmedSession(service, project, 'the-last-one');
  expect((await usage()).grace_ends_at).toEqual(expect.any(String));
  expect((await createSession(project)).session_id).toEqual(expect.any(String));
  endGrace();
  for (const [path, body] of [
    ['/v1/auth/session', { state: 's' }],
    ['/v1/send', { external_id: 'nobody', text: 'Hello' }],
  ] as const) {
    const refused = await project.api('POST', path, body);
    expect([path, refused.status, refused.body.code]).toEqual([path, 402, 'billing_blocked']);
  }
});

test('a change to a plan that has been used up begins the grace period', async () => {
  const project = await service.createProject({ plan: 'basic' });
  await useUpPlan(project, 150);
  const graceEndsAt = async () => (await project.api('GET', '/v1/usage')).body.grace_ends_at;
  await changeProject(service.pool, project.id, { plan: 'basic' }, undefined);
  expect(await graceEndsAt()).toBeNull();
  await changeProject(service.pool, project.id, { plan: 'free' }, undefined);
  expect(await graceEndsAt()).toEqual(expect.any(String));
});

test('the bot says that the project cannot accept logins now', async () => {
  const project = await service.createProject({ callback_url: 'https://shop.example/cb' });
  await useUpPlan(project, 100);
  await service.pool.query(`UPDATE projects SET grace_started_at = now() WHERE id = $1`, [project.id]);
  endGrace();
  await service.control.open('max', 'blocked-out', { start: `auth_${project.slug}` });
  await eventually(async () =>
    (await lastBotMessage(service, 'max', 'blocked-out'))?.text.includes('can’t accept logins right now'),
  );
});

test('a session that is opened after the credits ran out ends as declined', async () => {
  const project = await service.createProject();
  const session = await createSession(project);
  await useUpPlan(project, 100);
  await service.pool.query(`UPDATE projects SET grace_started_at = now() WHERE id = $1`, [project.id]);
  endGrace();
  await service.control.open('telegram', 'too-late-to-pay', { start: startOf(session.telegram_link) });
  await eventually(async () =>
    (await lastBotMessage(service, 'telegram', 'too-late-to-pay'))?.text.includes(
      'can’t accept logins right now',
    ),
  );
  const { body } = await project.api('GET', `/v1/auth/session/${session.session_id}/status`);
  expect(body).toMatchObject({ status: 'declined', reason: 'billing_blocked' });
  const result = await service.client.workflow.getHandle(`auth/${session.session_id}`).result();
  expect(result).toEqual({ status: 'declined', reason: 'billing_blocked' });
});

test('a new month resets the plan, and the basic plan has 700', async () => {
  const project = await service.createProject();
  await service.pool.query(
    `INSERT INTO credit_months (project_id, month, used) VALUES ($1, date_trunc('month', now() AT TIME ZONE 'UTC') - interval '1 month', 100)`,
    [project.id],
  );
  await service.pool.query(
    `UPDATE projects SET grace_started_at = now() - interval '40 days' WHERE id = $1`,
    [project.id],
  );
  await confirmedSession(service, project, 'new-month');
  expect(await sourcesOf(project)).toEqual(['plan']);
  const basic = await service.createProject({ plan: 'basic' });
  await useUpPlan(basic, 699);
  await confirmedSession(service, basic, 'basic-1');
  await confirmedSession(service, basic, 'basic-2');
  expect(await sourcesOf(basic)).toEqual(['plan', 'grace']);
});

test('concurrent confirmations never overspend', async () => {
  const project = await service.createProject();
  await useUpPlan(project, 97);
  await service.pool.query('UPDATE projects SET purchased_credits = 2 WHERE id = $1', [project.id]);
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => confirmedSession(service, project, `crowd-${index}`)),
  );
  const sources = await sourcesOf(project);
  expect(sources.filter((source) => source === 'plan')).toHaveLength(3);
  expect(sources.filter((source) => source === 'pack')).toHaveLength(2);
  expect(sources.filter((source) => source === 'grace')).toHaveLength(3);
});

test('the project is told once when 80 % of a month are used, and once when no credits are left', async () => {
  const project = await service.createProject();
  await useUpPlan(project, 78);
  await confirmedSession(service, project, 'at-79');
  expect(await told(project)).toEqual([]);
  await confirmedSession(service, project, 'at-80');
  await confirmedSession(service, project, 'at-81');
  expect(await told(project)).toEqual([['credits.low', 80, 0]]);
  await useUpPlan(project, 98);
  await Promise.all(['a', 'b', 'c', 'd'].map((name) => confirmedSession(service, project, `last-${name}`)));
  expect(await sourcesOf(project)).toEqual(['plan', 'plan', 'plan', 'plan', 'plan', 'grace', 'grace']);
  expect(await told(project)).toEqual([
    ['credits.low', 80, 0],
    ['credits.exhausted', 100, 0],
  ]);
});

test('with a pack, the project is told when the pack is used up, and again after the next pack', async () => {
  const project = await service.createProject();
  await useUpPlan(project, 99);
  const addPack = () =>
    service.pool.query('UPDATE projects SET purchased_credits = 2 WHERE id = $1', [project.id]);
  await addPack();
  await confirmedSession(service, project, 'plan-over');
  await confirmedSession(service, project, 'pack-1');
  expect(await told(project)).toEqual([]);
  await confirmedSession(service, project, 'pack-2');
  expect(await told(project)).toEqual([['credits.exhausted', 100, 0]]);
  await confirmedSession(service, project, 'grace');
  await addPack();
  await confirmedSession(service, project, 'pack-3');
  await confirmedSession(service, project, 'pack-4');
  expect(await told(project)).toEqual([
    ['credits.exhausted', 100, 0],
    ['credits.exhausted', 100, 0],
  ]);
});

test('after a change to a smaller plan the first login without credit tells the project, once', async () => {
  const project = await service.createProject();
  await useUpPlan(project, 300);
  await confirmedSession(service, project, 'smaller-1');
  await confirmedSession(service, project, 'smaller-2');
  expect(await told(project)).toEqual([['credits.exhausted', 300, 0]]);
});
