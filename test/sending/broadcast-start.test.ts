import { startTestService, type TestService } from '../support/harness';
import { addCrowd, eventsOf, untilBroadcast } from './scene';

describe('a broadcast that is asked for while nobody can carry it out', () => {
  let service: TestService;
  let worker: TestService | undefined;
  beforeAll(async () => {
    service = await startTestService({ roles: 'api,bots' });
  });
  afterAll(async () => {
    await worker?.stop();
    await service.stop();
  });

  it('is accepted, waits, and is started when a worker is there', async () => {
    const project = await service.createProject();
    await addCrowd(service, project, 'telegram', 5);
    const { status, body } = await project.api('POST', '/v1/broadcast', { text: 'news' });
    expect(status).toBe(202);
    const jobId = body.job_id as string;
    const cancelled = (await project.api('POST', '/v1/broadcast', { text: 'never' })).body.job_id as string;
    expect((await project.api('DELETE', `/v1/broadcast/${cancelled}`)).body).toMatchObject({
      status: 'cancelled',
      sent: 0,
      skipped: 5,
      remaining: 0,
    });
    expect((await project.api('GET', `/v1/broadcast/${jobId}`)).body).toMatchObject({
      status: 'queued',
      remaining: 5,
      started_at: null,
    });

    const { database, simulator, queuePrefix } = service;
    worker = await startTestService({ roles: 'worker', database, simulator, queuePrefix });
    expect(await untilBroadcast(project, jobId, 'completed')).toMatchObject({ sent: 5 });
    const ends = await eventsOf(service, project, 'broadcast.completed', 'broadcast.cancelled');
    expect(ends.map((event) => event.name)).toEqual(['broadcast.cancelled', 'broadcast.completed']);
  });
});
