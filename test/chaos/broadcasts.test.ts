import { workflowIds } from '../../src/base/temporal/names';
import { recordHistory } from '../system/replay/fixture';
import { eventually } from '../support/eventually';
import { startTestService, type TestProject, type TestService } from '../support/service';
import { startSecondProcess, type HeraldProcess } from '../support/herald-process';
import { addCrowd, eventsOf, untilBroadcast } from '../system/messages/fixture';

jest.setTimeout(180_000);

const env = { HERALD_MESSAGES_PER_SECOND: '100' };
const RECIPIENTS = 300;
/** What one channel of a run may have under way; see broadcast-run.ts. */
const MOST_IN_FLIGHT = 100;

describe('a broadcast whose worker ends in the middle', () => {
  let service: TestService;
  let project: TestProject;
  let jobId: string;
  let before: number;
  let worker: HeraldProcess | undefined;

  beforeAll(async () => {
    // Its own: its worker is a process that is killed.
    service = await startTestService({ roles: 'api,bots', env });
  });
  beforeEach(async () => {
    project = await service.createProject();
    await addCrowd(service, project, 'telegram', RECIPIENTS);
    before = (await service.control.stats('telegram')).messages_sent;
    // Slow enough that a kill meets calls under way, also where claims are slow; they take effect all the same.
    await service.control.faults('telegram', { method: 'sendMessage', delay_ms: 500, times: 100_000 });
    worker = await startSecondProcess(service, 'worker', env);
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'news' });
    jobId = body.job_id as string;
    await eventually(async () => {
      const { body: view } = await project.api('GET', `/v1/broadcast/${jobId}`);
      return view.sent > RECIPIENTS / 6;
    });
  });
  afterEach(async () => {
    await worker?.kill9();
    await service.control.faults('telegram', { clear: true });
  });
  afterAll(() => service.stop());

  const received = async () => (await service.control.stats('telegram')).messages_sent - before;

  it('by kill -9 reaches every recipient, and sends twice only messages in flight', async () => {
    await worker?.kill9();
    const after = await project.api('GET', `/v1/broadcast/${jobId}`);
    expect(after.body.status).toBe('running');
    expect(after.body.remaining).toBeGreaterThan(0);
    worker = await startSecondProcess(service, 'worker', env);
    const end = await untilBroadcast(project, jobId, 'completed', 90_000);
    expect(end).toMatchObject({ sent: RECIPIENTS, failed: 0, skipped: 0, total_subscribers: RECIPIENTS });
    const copies = (await received()) - RECIPIENTS;
    expect(copies).toBeGreaterThanOrEqual(0);
    expect(copies).toBeLessThanOrEqual(end.possible_duplicates);
    expect(end.possible_duplicates).toBeGreaterThan(0);
    expect(end.possible_duplicates).toBeLessThanOrEqual(MOST_IN_FLIGHT);
    const stats = await service.control.stats('telegram');
    expect(stats.by_user_max).toBeLessThanOrEqual(2);
    expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(RECIPIENTS);
    expect(await eventsOf(service, project, 'broadcast.completed')).toEqual([
      {
        name: 'broadcast.completed',
        data: { job_id: jobId, sent: RECIPIENTS, failed: 0, skipped: 0, total: RECIPIENTS },
      },
    ]);
    await recordHistory(
      service.client.workflow.getHandle(workflowIds.broadcast(jobId)),
      'broadcast',
      'worker-killed',
    );
  });

  it('by a stop is taken up by the next one without a second copy', async () => {
    await worker?.stop();
    const { body } = await project.api('GET', `/v1/broadcast/${jobId}`);
    expect(body.sent).toBe(await received());
    worker = await startSecondProcess(service, 'worker', env);
    const end = await untilBroadcast(project, jobId, 'completed', 90_000);
    expect(end).toMatchObject({ sent: RECIPIENTS, failed: 0, possible_duplicates: 0 });
    expect(await received()).toBe(RECIPIENTS);
  });

  it('by kill -9 can be cancelled meanwhile: messages in flight are reported as unknown', async () => {
    await worker?.kill9();
    const { body } = await project.api('DELETE', `/v1/broadcast/${jobId}`);
    expect(['cancelling', 'cancelled']).toContain(body.status);
    worker = await startSecondProcess(service, 'worker', env);
    const end = await untilBroadcast(project, jobId, 'cancelled', 90_000);
    expect(end.sent + end.failed + end.skipped).toBe(RECIPIENTS);
    expect(end.failed).toBeLessThanOrEqual(MOST_IN_FLIGHT);
    expect(await eventsOf(service, project, 'delivery.failed')).toHaveLength(end.failed);
    expect(await eventsOf(service, project, 'broadcast.cancelled')).toHaveLength(1);
    expect(await received()).toBeLessThanOrEqual(end.sent + end.failed);
  });
});
