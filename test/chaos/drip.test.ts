import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { createApi } from '../support/api';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { stablePort } from '../support/stable-port';
import { addCrowd, eventsOf } from '../system/messages/fixture';

jest.setTimeout(360_000);

const env = { HERALD_DRIP_SCALE: '0.01', HERALD_MESSAGES_PER_SECOND: '100' };
/** The blocked statement must not time out before its process is killed. */
const longTimeouts = { HERALD_LOCK_TIMEOUT_SECONDS: '60', HERALD_STATEMENT_TIMEOUT_SECONDS: '60' };
const PEOPLE = 60;
/** Those of a request that tracks events. */
const BUYERS = 40;

let service: TestService;
let worker: HeraldProcess | undefined;

beforeAll(async () => {
  // Its own: its workers are processes that are killed.
  service = await startTestService({ roles: 'api,bots', env });
  // Slow enough that a kill meets calls under way; they take effect all the same.
  await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 300, times: 100_000 });
});
afterAll(async () => {
  await worker?.kill9();
  await service?.stop();
});

async function crowdOf(count: number): Promise<{ project: TestProject; ids: string[] }> {
  const project = await service.createProject();
  await addCrowd(service, project, 'telegram', count);
  await service.pool.query(`UPDATE subscribers SET external_id = 'crowd' WHERE project_id = $1`, [
    project.id,
  ]);
  const { rows } = await service.pool.query<{ id: string }>(
    'SELECT id FROM subscribers WHERE project_id = $1',
    [project.id],
  );
  return { project, ids: rows.map(({ id }) => id) };
}

async function createChain(project: TestProject, trigger: object) {
  const { body: chain } = await project.api('POST', '/v1/drip-chains', {
    name: 'Chain',
    trigger,
    steps: [
      { id: 'first', type: 'send', content: { text: 'first' } },
      { id: 'mark', type: 'tag', add: ['marked'] },
      { id: 'wait', type: 'delay', minutes: 10 },
      { id: 'second', type: 'send', content: { text: 'second' } },
    ],
    status: 'active',
  });
  const path = `/v1/drip-chains/${chain.drip_id}`;
  const stats = async () => (await project.api('GET', `${path}/stats`)).body;
  const sentOf = async (step: number) => (await stats()).steps[step].sent as number;
  const messagesBefore = (await service.control.stats('telegram')).messages_sent;

  /** Every step was sent, once, or once more if its call was under way at a kill. */
  async function expectExact(people: number): Promise<void> {
    const end = await eventually(async () => {
      const found = await stats();
      return found.completed === people ? found : null;
    }, 120_000);
    const sent = { sent: people, failed: 0, skipped: 0, reached: people };
    expect(end).toMatchObject({ enrolled: people, active: 0, exited: 0, cancelled: 0 });
    expect(end.steps[0]).toMatchObject(sent);
    expect(end.steps[3]).toMatchObject(sent);
    expect(await eventsOf(service, project, 'drip.step_sent')).toHaveLength(2 * people);
    expect(await eventsOf(service, project, 'drip.completed')).toHaveLength(people);
    expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(2 * people);
    const { rows } = await service.pool.query<{ resent: number; marked: number }>(
      `SELECT (SELECT count(*)::int FROM drip_steps WHERE drip_id = $1 AND resent) AS resent,
         (SELECT count(*)::int FROM subscribers WHERE project_id = $2 AND tags = '{marked}') AS marked`,
      [chain.drip_id, project.id],
    );
    expect(rows[0]?.marked).toBe(people);
    const { messages_sent, by_user_max } = await service.control.stats('telegram');
    expect(messages_sent - messagesBefore).toBeGreaterThanOrEqual(2 * people);
    expect(messages_sent - messagesBefore).toBeLessThanOrEqual(2 * people + (rows[0]?.resent ?? 0));
    expect(by_user_max).toBeLessThanOrEqual(3);
  }

  return { path, sentOf, expectExact };
}

test('kill -9 of the worker in the middle of steps: every step is sent, and twice only a message in flight', async () => {
  const { project } = await crowdOf(PEOPLE);
  const { path, sentOf, expectExact } = await createChain(project, { type: 'manual' });
  worker = await startSecondProcess(service, 'worker', env);
  const enrolled = await project.api('POST', `${path}/enrolments`, { external_id: 'crowd' });
  expect(enrolled.body.data).toHaveLength(PEOPLE);
  await eventually(async () => (await sentOf(0)) > PEOPLE / 6, 60_000);
  await worker.kill9();
  expect(await sentOf(3)).toBeLessThan(PEOPLE);
  worker = await startSecondProcess(service, 'worker', env);
  await expectExact(PEOPLE);
});

test('kill -9 of the API while it enrols: nothing is left, and the repeated request enrols each once', async () => {
  const { project, ids } = await crowdOf(BUYERS);
  const { path, sentOf, expectExact } = await createChain(project, { type: 'event', name: 'bought' });
  const events = ids.map((id) => ({ name: 'bought', subscriber_id: id, event_id: id }));
  const track = async (api = project.api) => {
    const { body } = await api('POST', '/v1/events', { events });
    return [...new Set(body.data.map(({ status }: { status: string }) => status))];
  };
  await killWhileEnrolling(project, track);
  expect((await project.api('GET', `${path}/enrolments`)).body.data).toEqual([]);
  expect(await project.api('GET', '/v1/events')).toMatchObject({ body: { data: [] } });

  worker ??= await startSecondProcess(service, 'worker', env);
  expect(await track()).toEqual(['accepted']);
  await eventually(async () => (await sentOf(0)) > BUYERS / 6, 60_000);
  expect(await track()).toEqual(['duplicate']);
  expect(await sentOf(3)).toBeLessThan(BUYERS);
  await expectExact(BUYERS);
});

/** A lock holds the request up in the middle of its transaction. */
async function killWhileEnrolling(
  project: TestProject,
  track: (api: TestProject['api']) => Promise<unknown>,
): Promise<void> {
  const port = await stablePort();
  const api = await startSecondProcess(service, 'api', { ...env, ...longTimeouts, PORT: String(port) });
  const lock = await service.pool.connect();
  try {
    await lock.query('BEGIN; LOCK TABLE drip_enrolments IN SHARE ROW EXCLUSIVE MODE');
    const response = expect(track(createApi(`http://127.0.0.1:${port}`, project.api_key))).rejects.toThrow(
      'fetch failed',
    );
    await eventually(async () => {
      const { rows } = await service.pool.query(
        `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%INSERT INTO drip_enrolments%'
           AND datname = current_database()`,
      );
      return rows.length > 0;
    });
    await api.kill9();
    await response;
  } finally {
    await api.kill9();
    await lock.query('ROLLBACK');
    lock.release();
  }
}
