import { randomUUID } from 'node:crypto';
import { startRunNow } from '../../../src/domains/recurring/entries';
import { runDue } from '../../../src/domains/recurring/runs';
import { localTimeAt } from '../../../src/base/contract/zones';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { installDatabaseClock, type DatabaseClock } from '../../support/database-clock';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { addCrowd } from '../messages/fixture';
import { nextDoubledHour, type Run } from './fixture';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Recurring messages at times that the test chooses: it is the workflow. */
describe('a recurring message', () => {
  let database: TestDatabase;
  let clock: DatabaseClock;
  let service: TestService;
  let project: TestProject;
  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await installDatabaseClock(database);
    // Its own: it stops the database's clock, and runs what is due.
    service = await startTestService({ database, roles: 'api' });
  });
  beforeEach(async () => {
    project = await service.createProject();
    await addCrowd(service, project, 'telegram', 1);
  });
  afterEach(() => clock.run());
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
  });

  const create = async (body: object): Promise<string> => {
    const answer = await project.api('POST', '/v1/recurring', {
      name: 'Digest',
      content: { text: 'digest' },
      audience: {},
      ...body,
    });
    expect([answer.status, answer.body]).toEqual([201, expect.anything()]);
    return answer.body.recurring_id;
  };
  const nextRunOf = async (id: string): Promise<number> =>
    Date.parse((await project.api('GET', `/v1/recurring/${id}`)).body.next_run_at);
  const runsOf = async (id: string): Promise<Run[]> =>
    (await project.api('GET', `/v1/recurring/${id}/runs`)).body.data;
  const runDueAt = async (id: string, at: number) => {
    await clock.stopAt(new Date(at).toISOString());
    return runDue(service.service.core, id);
  };
  const patch = (id: string, body: object) => project.api('PATCH', `/v1/recurring/${id}`, body);

  it.each(['Europe/Berlin', 'Europe/London', 'Australia/Sydney', 'America/New_York'])(
    'of a time that %s shows twice runs once, at the first',
    async (timezone) => {
      const hour = nextDoubledHour(timezone);
      const first = hour.getTime() + 30 * MINUTE;
      const cron = `30 ${localTimeAt(hour, timezone).hour} * * *`;
      const id = await create({ cron, timezone, start_at: hour.toISOString() });
      for (const at of [first - MINUTE, first, first + HOUR, first + 2 * HOUR]) await runDueAt(id, at);
      const runs = await runsOf(id);
      expect(runs.map((run) => [Date.parse(run.scheduled_for), run.status])).toEqual([[first, 'started']]);
      expect((await nextRunOf(id)) - first).toBe(25 * HOUR);
    },
  );

  it('does not run a local time again that a change of the time zone brings back a day later', async () => {
    const id = await create({ cron: '0 9 * * *', timezone: 'Pacific/Kiritimati' });
    const first = await nextRunOf(id);
    await runDueAt(id, first);
    await patch(id, { timezone: 'Pacific/Pago_Pago' });
    // There 09:00 of the day before comes in an hour, and that of the same day in 25.
    for (const hours of [1, 24.5]) await runDueAt(id, first + hours * HOUR);
    expect(await nextRunOf(id)).toBe(first + 49 * HOUR);
    for (const hours of [25, 25.5]) await runDueAt(id, first + hours * HOUR);
    const times = (await runsOf(id)).map((run) => (Date.parse(run.scheduled_for) - first) / HOUR);
    expect(times).toEqual([1, 0]);
    expect(await nextRunOf(id)).toBe(first + 49 * HOUR);
  });

  it.each<[string, object]>([
    ['paused', { status: 'paused' }],
    ['changed', { cron: '0 10 * * *' }],
    ['moved to another time zone', { timezone: 'America/New_York' }],
  ])('%s while an occurrence is due has a skipped run for it', async (_, changes) => {
    const id = await create({ cron: '0 9 * * *', timezone: 'Europe/Berlin' });
    const due = await nextRunOf(id);
    await clock.stopAt(new Date(due + MINUTE).toISOString());
    expect((await patch(id, changes)).status).toBe(200);
    const skipped = { status: 'skipped', reason: 'by_request', job_id: null };
    const runs = await runsOf(id);
    expect(runs).toMatchObject([skipped]);
    expect(Date.parse(runs[0]?.scheduled_for ?? '')).toBe(due);
    await runDueAt(id, due + 2 * MINUTE);
    expect(await runsOf(id)).toEqual(runs);
  });

  it('moved to another time zone while an occurrence is due runs at that time there', async () => {
    const id = await create({ cron: '0 9 * * *', timezone: 'Europe/Berlin' });
    const due = await nextRunOf(id);
    await clock.stopAt(new Date(due + MINUTE).toISOString());
    await patch(id, { timezone: 'America/New_York' });
    expect((await nextRunOf(id)) - due).toBeLessThan(24 * HOUR);
  });

  it('starts a manual run once, however often its request is repeated', async () => {
    const id = await create({ cron: '0 9 * * *', max_runs: 1 });
    const work = { id: randomUUID(), resumed: false };
    const start = () => startRunNow(service.service.core, project.id, id, work);
    expect(await Promise.all([start(), start()])).toEqual([{ run_id: work.id }, { run_id: work.id }]);
    expect(await runsOf(id)).toMatchObject([{ run_id: work.id, status: 'started' }]);
    await expect(
      startRunNow(service.service.core, project.id, id, { id: randomUUID(), resumed: false }),
    ).rejects.toMatchObject({ code: 'conflict' });
  });
});
