import { copyNext } from '../../../src/domains/broadcasts/audience-job';
import { fireScheduled } from '../../../src/domains/scheduled/fire';
import { claimRecipients } from '../../../src/domains/broadcasts/queries/claims';
import { beginRun } from '../../../src/domains/broadcasts/queries/runs';
import { recordThrottled } from '../../../src/domains/bots';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { expectError } from '../http/fixture';
import { freshName } from '../messages/fixture';

const PEOPLE = 3_000;

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  // Its own: it has no worker, whose part the tests play.
  service = await startTestService({ roles: 'api' });
});
afterAll(() => service.stop());
beforeEach(async () => {
  project = await service.createProject();
});

async function addPeople(count: number): Promise<void> {
  await service.pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     SELECT $1, 'telegram', $2 || n, $2 || n, 'Anna', 'en' FROM generate_series(1, $3::int) n`,
    [project.id, freshName(), count],
  );
}

const start = () => project.api('POST', '/v1/broadcast', { text: 'news' });
const view = async (jobId: string) => (await project.api('GET', `/v1/broadcast/${jobId}`)).body;

/** How many recipients each transaction has written. */
async function perTransaction(jobId: string): Promise<number[]> {
  const { rows } = await service.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM broadcast_recipients WHERE broadcast_id = $1 GROUP BY xmin ORDER BY 1 DESC`,
    [jobId],
  );
  return rows.map(({ n }) => n);
}

test('a large audience is copied a thousand at a time, each subscriber once, also by two processes at once', async () => {
  await addPeople(PEOPLE + 1);
  const { status, body } = await start();
  expect({ status, body }).toMatchObject({ status: 202, body: { total_subscribers: PEOPLE + 1 } });
  const jobId = body.job_id as string;
  // The request has copied the first batch; here its process would be killed.
  expect(await perTransaction(jobId)).toEqual([1_000]);
  // Subscribers who come or go meanwhile.
  await addPeople(5);
  await service.pool.query(
    `UPDATE subscribers SET active = false WHERE id = (
       SELECT s.id FROM subscribers s WHERE s.project_id = $1 AND NOT EXISTS (
         SELECT 1 FROM broadcast_recipients r WHERE r.subscriber_id = s.id) ORDER BY s.created_at LIMIT 1)`,
    [project.id],
  );
  await Promise.all([copyNext(service.pool, jobId), copyNext(service.pool, jobId)]);
  while (await copyNext(service.pool, jobId));
  expect(await perTransaction(jobId)).toEqual([1_000, 1_000, 1_000, 1]);
  const { rows } = await service.pool.query(
    'SELECT count(DISTINCT subscriber_id)::int AS n FROM broadcast_recipients WHERE broadcast_id = $1',
    [jobId],
  );
  expect(rows).toEqual([{ n: PEOPLE + 1 }]);
  // Who has left is skipped.
  expect(await view(jobId)).toMatchObject({ total_subscribers: PEOPLE + 1, skipped: 1, remaining: PEOPLE });
});

test('one that is cancelled while its audience is copied is skipped a thousand at a time, and its counts add up', async () => {
  await addPeople(PEOPLE);
  const jobId = (await start()).body.job_id as string;
  await copyNext(service.pool, jobId);
  // Without a worker only requests skip, each for up to two seconds.
  const cancelled = await eventually(async () => {
    const { body } = await project.api('DELETE', `/v1/broadcast/${jobId}`);
    return body.status === 'cancelled' && body;
  });
  expect(cancelled).toMatchObject({ total_subscribers: PEOPLE, skipped: PEOPLE, remaining: 0 });
  expect(await copyNext(service.pool, jobId)).toBe(false);
  // The rows are those of the skipping.
  expect(await perTransaction(jobId)).toEqual([1_000, 1_000]);
});

test('while a recipient who is due waits for a throttled chat, the page goes on, although the others are due much later', async () => {
  await addPeople(2);
  const jobId = (await start()).body.job_id as string;
  const { rows } = await service.pool.query<{ chat_id: string }>(
    `WITH timed AS (
       UPDATE broadcast_recipients r SET due_at = now() + CASE WHEN s.chat_id LIKE '%1' THEN '-1 minute' ELSE '1 minute' END::interval
       FROM subscribers s WHERE s.id = r.subscriber_id AND r.broadcast_id = $1 RETURNING s.chat_id)
     SELECT chat_id FROM timed WHERE chat_id LIKE '%1'`,
    [jobId],
  );
  await recordThrottled(service.pool, 'telegram', rows[0]!.chat_id, 3_600_000);
  const { run } = await beginRun(service.pool, jobId);
  const claim = await claimRecipients(service.pool, run!, run!.senders[0]!, {
    wanted: 10,
    perSecond: 30,
    contentFor: () => null,
    callsOf: () => 1,
    recordBlocked: () => Promise.resolve(),
  });
  expect(claim).toEqual({ state: 'claimed', recipients: [], waitMs: expect.any(Number) });
});

describe('with twenty open broadcasts', () => {
  const jobs: string[] = [];
  beforeEach(async () => {
    await addPeople(1);
    jobs.length = 0;
    for (let n = 0; n < 20; n += 1) {
      const { status, body } = await start();
      expect(status).toBe(202);
      jobs.push(body.job_id as string);
    }
  });

  test('the next one is refused until one has ended', async () => {
    expectError(await start(), 'conflict');
    const neighbour = await service.createProject();
    expect((await neighbour.api('POST', '/v1/broadcast', { text: 'news' })).status).toBe(202);
    await project.api('DELETE', `/v1/broadcast/${jobs[0]}`);
    const answers = await Promise.all([start(), start(), start()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
  });

  test('a scheduled one and a recurring run are skipped, and say why', async () => {
    const scheduled = await project.api('POST', '/v1/scheduled', {
      content: { text: 'later' },
      audience: {},
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect(scheduled.status).toBe(201);
    const id = scheduled.body.scheduled_id as string;
    await service.pool.query(
      `UPDATE scheduled SET next_at = now(), scheduled_at = to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')
       WHERE id = $1`,
      [id],
    );
    await fireScheduled(service.service.core, id);
    const { body } = await project.api('GET', `/v1/scheduled/${id}`);
    expect(body).toMatchObject({ status: 'skipped', reason: 'too_many_jobs', job_id: null });

    const recurring = await project.api('POST', '/v1/recurring', {
      name: 'daily',
      content: { text: 'daily' },
      audience: {},
      cron: '0 9 * * *',
    });
    expect(recurring.status).toBe(201);
    const recurringId = recurring.body.recurring_id as string;
    expect((await project.api('POST', `/v1/recurring/${recurringId}/run`)).status).toBe(202);
    const runs = await project.api('GET', `/v1/recurring/${recurringId}/runs`);
    expect(runs.body.data).toMatchObject([{ status: 'skipped', reason: 'too_many_jobs', job_id: null }]);
  });

  test('one whose recipients wait for their local times counts while some are due', async () => {
    const [job] = jobs;
    const due = (at: string) =>
      service.pool.query(
        `UPDATE broadcast_recipients SET due_at = now() + $2::interval WHERE broadcast_id = $1`,
        [job, at],
      );
    await due('-1 second');
    expectError(await start(), 'conflict');
    await due('1 hour');
    expect((await start()).status).toBe(202);
    expectError(await start(), 'conflict');
  });
});
