import { eventually } from '../support/eventually';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { addCrowd, eventsOf, subscribePerson, textsTo } from '../system/messages/fixture';

jest.setTimeout(180_000);

/** The batch takes ten seconds. */
const env = { HERALD_MESSAGES_PER_SECOND: '10' };
const MESSAGES = 100;

let service: TestService;
let project: TestProject;
let worker: HeraldProcess | undefined;

beforeAll(async () => {
  // Its own: its workers are processes that are killed.
  service = await startTestService({ roles: 'api,bots', env });
  project = await service.createProject();
});
afterAll(async () => {
  await worker?.kill9();
  await service?.stop();
});

async function startBatch(): Promise<string> {
  await addCrowd(service, project, 'telegram', MESSAGES);
  const { rows } = await service.pool.query<{ id: string }>(
    `SELECT id FROM subscribers WHERE project_id = $1 AND first_name = 'Crowd'`,
    [project.id],
  );
  const messages = rows.map(({ id }, index) => ({ subscriber_id: id, text: `order ${index}` }));
  return (await project.api('POST', '/v1/send/batch', { messages })).body.batch_id;
}

test('kill -9 of the worker in a batch and in a scheduled message: each ends once, and its counts add up', async () => {
  const anna = await subscribePerson(service, project);
  const before = (await service.control.stats('telegram')).messages_sent;
  // Slow enough that the kill meets calls under way; they take effect all the same.
  await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 1_500, times: 100_000 });
  worker = await startSecondProcess(service, 'worker', env);
  const batchId = await startBatch();
  const batch = async () => (await project.api('GET', `/v1/send/batch/${batchId}`)).body;
  await eventually(async () => (await batch()).sent > 5, 60_000);
  const { body: entry } = await project.api('POST', '/v1/scheduled', {
    content: { text: 'reminder' },
    subscriber_id: anna.subscriberId,
    scheduled_at: new Date(Date.now() + 3_000).toISOString(),
  });
  await eventually(async () => {
    const { rows } = await service.pool.query(
      `SELECT 1 FROM messages WHERE request_id = $1 AND status <> 'queued'`,
      [entry.scheduled_id],
    );
    return rows.length > 0;
  }, 60_000);
  await worker.kill9();
  worker = await startSecondProcess(service, 'worker', env);

  const end = await eventually(async () => {
    const view = await batch();
    return view.status === 'completed' ? view : null;
  }, 120_000);
  expect(end).toMatchObject({ total: MESSAGES, sent: MESSAGES, failed: 0, skipped: 0 });
  const ended = await eventually(async () => {
    const { body } = await project.api('GET', `/v1/scheduled/${entry.scheduled_id}`);
    return body.ended_at === null ? null : body;
  }, 120_000);
  // The outcome of a call that was under way is not known, and it is not made again.
  expect([ended.status, ended.reason]).toEqual(
    ended.status === 'sent' ? ['sent', null] : ['failed', 'unknown'],
  );
  const copies = (await textsTo(service, anna)).filter((text) => text === 'reminder');
  expect(copies.length).toBeLessThanOrEqual(1);
  const stats = await service.control.stats('telegram');
  expect(stats.messages_sent - before - copies.length).toBeGreaterThanOrEqual(MESSAGES);
  expect(stats.by_user_max).toBeLessThanOrEqual(2);

  const outcomes = await eventsOf(
    service,
    project,
    'scheduled.sent',
    'scheduled.failed',
    'scheduled.skipped',
  );
  expect(outcomes.map(({ name }) => name)).toEqual([`scheduled.${ended.status}`]);
  expect((await eventsOf(service, project, 'batch.completed')).map(({ data }) => data)).toEqual([
    expect.objectContaining({ batch_id: batchId, sent: MESSAGES, failed: 0, skipped: 0, total: MESSAGES }),
  ]);
});
