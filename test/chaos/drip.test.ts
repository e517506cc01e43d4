import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { startTestService, type TestService } from '../support/service';
import { addCrowd, eventsOf } from '../system/messages/fixture';

jest.setTimeout(180_000);

const env = { HERALD_DRIP_SCALE: '0.01', HERALD_BROADCAST_PER_SECOND: '100' };
const PEOPLE = 60;

let service: TestService;
let worker: HeraldProcess | undefined;

beforeAll(async () => {
  service = await startTestService({ roles: 'api,bots', env });
});
afterAll(async () => {
  await worker?.kill9();
  await service.stop();
});

test('kill -9 of the worker in the middle of steps: every step is sent, and twice only a message in flight', async () => {
  const project = await service.createProject();
  await addCrowd(service, project, 'telegram', PEOPLE);
  await service.pool.query(`UPDATE subscribers SET external_id = 'crowd' WHERE project_id = $1`, [
    project.id,
  ]);
  // Slow enough that a kill meets calls under way; they take effect all the same.
  await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 300, times: 100_000 });
  const { body: chain } = await project.api('POST', '/v1/drip-chains', {
    name: 'Chain',
    trigger: { type: 'manual' },
    steps: [
      { id: 'first', type: 'send', content: { text: 'first' } },
      { id: 'mark', type: 'tag', add: ['marked'] },
      { id: 'wait', type: 'delay', minutes: 1 },
      { id: 'second', type: 'send', content: { text: 'second' } },
    ],
    status: 'active',
  });
  const path = `/v1/drip-chains/${chain.drip_id}`;
  const stats = async () => (await project.api('GET', `${path}/stats`)).body;
  const sentOf = async (step: number) => (await stats()).steps[step].sent as number;
  const before = (await service.control.stats('telegram')).messages_sent;

  worker = await startSecondProcess(service, 'worker', env);
  const enrolled = await project.api('POST', `${path}/enrolments`, { external_id: 'crowd' });
  expect(enrolled.body.data).toHaveLength(PEOPLE);
  await eventually(async () => (await sentOf(0)) > PEOPLE / 6, 60_000);
  await worker.kill9();
  expect(await sentOf(3)).toBeLessThan(PEOPLE);
  worker = await startSecondProcess(service, 'worker', env);

  const end = await eventually(async () => {
    const found = await stats();
    return found.completed === PEOPLE ? found : null;
  }, 120_000);
  const sent = { sent: PEOPLE, failed: 0, skipped: 0, reached: PEOPLE };
  expect(end).toMatchObject({ enrolled: PEOPLE, active: 0, exited: 0, cancelled: 0 });
  expect(end.steps[0]).toMatchObject(sent);
  expect(end.steps[3]).toMatchObject(sent);
  expect(await eventsOf(service, project, 'drip.step_sent')).toHaveLength(2 * PEOPLE);
  expect(await eventsOf(service, project, 'drip.completed')).toHaveLength(PEOPLE);
  expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(2 * PEOPLE);
  const { rows } = await service.pool.query<{ resent: number; marked: number }>(
    `SELECT (SELECT count(*)::int FROM drip_steps WHERE drip_id = $1 AND resent) AS resent,
       (SELECT count(*)::int FROM subscribers WHERE project_id = $2 AND tags = '{marked}') AS marked`,
    [chain.drip_id, project.id],
  );
  expect(rows[0]?.marked).toBe(PEOPLE);
  const { messages_sent, by_user_max } = await service.control.stats('telegram');
  expect(messages_sent - before).toBeGreaterThanOrEqual(2 * PEOPLE);
  expect(messages_sent - before).toBeLessThanOrEqual(2 * PEOPLE + (rows[0]?.resent ?? 0));
  expect(by_user_max).toBeLessThanOrEqual(3);
});
