import { randomUUID } from 'node:crypto';
import { insertBatch, insertBatchRecipients } from '../../../src/domains/broadcasts/batch/queries';
import { startBatch } from '../../../src/domains/broadcasts/batch/start';
import { runBroadcast } from '../../../src/domains/broadcasts/run';
import { startTestService, type TestService } from '../../support/service';
import { addCrowd, eventsOf, untilBroadcast } from '../messages/fixture';

describe('a broadcast that is requested while no worker runs', () => {
  let service: TestService;
  let worker: TestService | undefined;
  beforeAll(async () => {
    // Its own: its worker starts when a test says so.
    service = await startTestService({ roles: 'api,bots' });
  });
  afterAll(async () => {
    await worker?.stop();
    await service.stop();
  });

  it('is sent in pages, each of which ends with everything recorded', async () => {
    const project = await service.createProject();
    await addCrowd(service, project, 'max', 30);
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'news', messages_per_minute: 600 });
    const jobId = body.job_id as string;
    const never = new AbortController().signal;
    const page = (options: { pageMs: number; signal?: AbortSignal }) =>
      runBroadcast(service.service.core, jobId, { signal: never, ...options });
    expect(await page({ pageMs: 1_000 })).toBe('more');
    const view = async () => (await project.api('GET', `/v1/broadcast/${jobId}`)).body;
    const first = await view();
    expect(first.sent).toBeGreaterThan(0);
    expect(first.remaining).toBeGreaterThan(0);
    const { rows } = await service.pool.query<{ n: number }>(
      `SELECT count(*) AS n FROM broadcast_recipients WHERE broadcast_id = $1 AND status = 'sending'`,
      [jobId],
    );
    expect(rows[0]?.n).toBe(0);
    expect(await page({ pageMs: 60_000, signal: AbortSignal.abort() })).toBe('more');
    expect((await view()).sent).toBe(first.sent);
    expect(await page({ pageMs: 60_000 })).toBe('drained');
    expect(await view()).toMatchObject({ sent: 30, possible_duplicates: 0, status: 'running' });
    await project.api('DELETE', `/v1/broadcast/${jobId}`);
    expect(await page({ pageMs: 60_000 })).toBe('stopped');
  });

  it('is a batch of which a crash left a part: it is nothing until the request is repeated, which completes it', async () => {
    const project = await service.createProject();
    const { core } = service.service;
    const id = randomUUID();
    const content = { text: 'x', format: 'plain' as const, buttons: [] };
    const unknown = { subscriber_id: null, channel: null, status: 'failed', error: null } as const;
    await insertBatch(core.pool, project.id, id, { templates: {}, total: 3 });
    await insertBatchRecipients(
      core.pool,
      id,
      [{ position: 0, ref: null, permission: null, content: JSON.stringify(content) }],
      [{ ...unknown, position: 0, reason: 'subscriber_not_found' }],
      '00000000-0000-0000-0000-000000000000',
    );
    expect((await project.api('GET', '/v1/send/batch')).body.data).toEqual([]);
    expect((await project.api('GET', `/v1/send/batch/${id}`)).status).toBe(404);

    const messages = ['a', 'b', 'c'].map((external_id) => ({ external_id, ...content }));
    const whole = { batch_id: id, status: 'queued', total: 3 };
    for (let repeated = 0; repeated < 2; repeated += 1) {
      expect(await startBatch(core, project.id, messages, { id, resumed: true })).toEqual(whole);
    }
    const { body } = await project.api('GET', `/v1/send/batch/${id}/results`);
    expect(body.data.map(({ index }: { index: number }) => index)).toEqual([0, 1, 2]);
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
    worker = await startTestService({
      roles: 'worker',
      queues: ['broadcasts'],
      database,
      simulator,
      queuePrefix,
    });
    expect(await untilBroadcast(project, jobId, 'completed')).toMatchObject({ sent: 5 });
    const ends = await eventsOf(service, project, 'broadcast.completed', 'broadcast.cancelled');
    expect(ends.map((event) => event.name)).toEqual(['broadcast.cancelled', 'broadcast.completed']);
  });
});
