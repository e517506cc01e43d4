import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { expectError } from '../http/fixture';
import { eventsOf, subscribePerson, textsTo, untilBroadcast, type Person } from '../messages/fixture';

jest.setTimeout(120_000);

const YES = [[{ text: '{{first_name}}, yes', data: 'yes' }], [{ text: 'Shop', url: 'https://shop.example' }]];

describe('the results of a broadcast', () => {
  let service: Installation;
  let project: TestProject;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterEach(async () => {
    await service.control.faults('telegram', { clear: true });
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
  });
  afterAll(() => service.stop());

  const get = async (path: string) => (await project.api('GET', path)).body;
  const results = async (jobId: string, query = '') =>
    (await get(`/v1/broadcast/${jobId}/results${query}`)).data as Record<string, unknown>[];

  async function run(body: Record<string, unknown>): Promise<string> {
    const started = await project.api('POST', '/v1/broadcast', body);
    await untilBroadcast(project, String(started.body.job_id), 'completed');
    return String(started.body.job_id);
  }

  async function refuse(people: Person[]): Promise<void> {
    for (const { name: user } of people) {
      await service.control.faults('telegram', {
        method: 'sendMessage',
        status: 400,
        description: 'Bad Request: chat not found',
        user,
      });
    }
  }

  async function stop(person: Person): Promise<void> {
    await service.control.say(person.channel, person.name, '/stop');
    await eventually(async () =>
      (await eventsOf(service, project, 'subscription.deleted')).some(
        ({ data }) => data['subscriber_id'] === person.subscriberId,
      ),
    );
  }

  it('are listed newest first, with reasons, by status and in pages', async () => {
    const people = [];
    for (let i = 0; i < 3; i += 1) people.push(await subscribePerson(service, project));
    const removed = await subscribePerson(service, project, 'max');
    // No recipient's turn has come: all are queued.
    await service.pool.query(`UPDATE bot_pace SET next_at = now() + interval '1 hour'`);
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'news' });
    const jobId = String(body.job_id);
    await eventually(async () => (await results(jobId, '?status=queued')).length === 4);
    await project.api('DELETE', `/v1/subscribers/${removed.subscriberId}`);
    await refuse(people.slice(0, 1));
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
    await untilBroadcast(project, jobId, 'completed');

    const all = await results(jobId);
    expect(all.map(({ status }) => status).sort()).toEqual(['failed', 'sent', 'sent', 'skipped']);
    const [failed] = await results(jobId, '?status=failed');
    expect(failed).toEqual({
      subscriber_id: expect.any(String),
      channel: 'telegram',
      status: 'failed',
      delivery_id: expect.any(String),
      reason: 'chat_not_found',
    });
    expect(await results(jobId, '?status=skipped')).toEqual([
      { subscriber_id: null, channel: 'max', status: 'skipped', delivery_id: null, reason: 'unsubscribed' },
    ]);
    expect(await results(jobId, '?status=queued')).toEqual([]);
    const { rows } = await service.pool.query<{ id: string }>(
      `SELECT id FROM broadcast_recipients WHERE broadcast_id = $1 AND status <> 'skipped'
       ORDER BY ended_at DESC, id DESC`,
      [jobId],
    );
    const told = all.flatMap(({ delivery_id }) => delivery_id ?? []);
    expect(told).toEqual(rows.map(({ id }) => id));

    const paged: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { data: unknown[]; next_cursor: string | null } = await get(
        `/v1/broadcast/${jobId}/results?limit=1${cursor && `&cursor=${cursor}`}`,
      );
      paged.push(...page.data);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(all);

    expectError(await project.api('GET', `/v1/broadcast/${jobId}/results?status=lost`), 'validation_failed');
    const other = await service.createProject();
    for (const path of ['results', 'stats']) {
      expectError(await other.api('GET', `/v1/broadcast/${jobId}/${path}`), 'not_found');
    }
  });

  it('are counted: reasons, taps by the text that was given, and unsubscribes within 72 hours', async () => {
    await project.api('POST', '/v1/templates', {
      key: 'ask',
      variants: { en: { text: 'Ready?', buttons: YES } },
    });
    const gone = await subscribePerson(service, project);
    await stop(gone);
    const anna = await subscribePerson(service, project);
    const boris = await subscribePerson(service, project);
    const late = await subscribePerson(service, project);
    const jobId = await run({ template: 'ask' });
    expect(await get(`/v1/broadcast/${jobId}/stats`)).toEqual({
      sent: 3,
      failed: 0,
      skipped: 1,
      queued: 0,
      total: 4,
      reasons: [{ reason: 'unsubscribed', count: 1 }],
      buttons: [{ text: '{{first_name}}, yes', clicks: 0, people: 0 }],
      unsubscribed: 0,
    });

    const [annas] = await results(jobId, `?limit=100`);
    expect((await get(`/v1/messages/${String(annas?.['delivery_id'])}`)).content.buttons[0]).toEqual([
      { text: expect.stringMatching(/^user-.*, yes$/), data: 'yes' },
    ]);
    for (const person of [anna, anna, boris]) {
      await service.control.tap('telegram', person.name, { button: 0 });
    }
    // His message was sent four days before he leaves.
    await service.pool.query(
      `UPDATE broadcast_recipients SET ended_at = ended_at - interval '4 days'
       WHERE broadcast_id = $1 AND subscriber_id = $2`,
      [jobId, late.subscriberId],
    );
    await stop(anna);
    await stop(late);
    await eventually(async () => {
      const stats = await get(`/v1/broadcast/${jobId}/stats`);
      expect(stats).toMatchObject({
        buttons: [{ text: '{{first_name}}, yes', clicks: 3, people: 2 }],
        unsubscribed: 1,
      });
      return true;
    });
    // She stays counted after her removal, and a removal ends a subscription too.
    await project.api('DELETE', `/v1/subscribers/${anna.subscriberId}`);
    await project.api('DELETE', `/v1/subscribers/${boris.subscriberId}`);
    expect((await get(`/v1/broadcast/${jobId}/stats`)).unsubscribed).toBe(2);
  });

  it('of a batch are counted alike', async () => {
    const anna = await subscribePerson(service, project);
    const boris = await subscribePerson(service, project);
    await project.api('POST', '/v1/templates', {
      key: 'ask',
      variants: { en: { text: 'Ready?', buttons: YES } },
    });
    const own = { text: 'Rate it', buttons: [[{ text: 'Good', data: 'order-1' }]] };
    const { body } = await project.api('POST', '/v1/send/batch', {
      messages: [
        { subscriber_id: anna.subscriberId, template: 'ask' },
        { subscriber_id: boris.subscriberId, ...own },
        { external_id: 'nobody', ...own },
      ],
    });
    const path = `/v1/send/batch/${String(body.batch_id)}`;
    await eventually(async () => (await get(path)).status === 'completed');
    await service.control.tap('telegram', anna.name, { button: 0 });
    await service.control.tap('telegram', boris.name, { button: 0 });
    await service.control.tap('telegram', boris.name, { button: 0 });
    const stats = await eventually(async () => {
      const counted = await get(`${path}/stats`);
      return counted.buttons[0].clicks === 2 && counted.buttons[1].clicks === 1 ? counted : null;
    });
    expect(stats).toEqual({
      sent: 2,
      failed: 1,
      skipped: 0,
      queued: 0,
      total: 3,
      reasons: [{ reason: 'subscriber_not_found', count: 1 }],
      buttons: [
        { text: 'Good', clicks: 2, people: 1 },
        { text: '{{first_name}}, yes', clicks: 1, people: 1 },
      ],
      unsubscribed: 0,
    });
  });

  it('that failed are retried once, in a new broadcast of the same content', async () => {
    const people = [];
    for (let i = 0; i < 3; i += 1) people.push(await subscribePerson(service, project));
    const [, , withdrawn] = people;
    for (const { subscriberId } of people) {
      await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { permissions: ['news'] });
    }
    await refuse(people);
    const jobId = await run({ text: 'again', permission: 'news', messages_per_minute: 600 });
    expect(await results(jobId, '?status=failed')).toHaveLength(3);
    await project.api('PATCH', `/v1/subscribers/${String(withdrawn?.subscriberId)}`, { permissions: [] });

    const key = { 'Idempotency-Key': 'once-again' };
    const retried = await project.api('POST', `/v1/broadcast/${jobId}/retry`, undefined, key);
    expect([retried.status, retried.body]).toEqual([202, { job_id: expect.any(String) }]);
    const again = String(retried.body.job_id);
    expect(await untilBroadcast(project, again, 'completed')).toMatchObject({
      total_subscribers: 3,
      sent: 2,
      failed: 0,
      skipped: 1,
      messages_per_minute: 600,
      content: { text: 'again' },
    });
    expect(await results(again, '?status=skipped')).toMatchObject([
      { subscriber_id: withdrawn?.subscriberId, reason: 'permission_missing', delivery_id: null },
    ]);
    const received = await Promise.all(people.map((person) => textsTo(service, person)));
    expect(received.flat().filter((text) => text === 'again')).toHaveLength(2);

    expect((await project.api('POST', `/v1/broadcast/${jobId}/retry`, undefined, key)).body).toEqual(
      retried.body,
    );
    // Not a second time, and not without a failure.
    expectError(await project.api('POST', `/v1/broadcast/${jobId}/retry`), 'conflict', /retried/);
    expectError(await project.api('POST', `/v1/broadcast/${again}/retry`), 'conflict', /no failed/);
    const other = await service.createProject();
    expectError(await other.api('POST', `/v1/broadcast/${jobId}/retry`), 'not_found');
  });

  it('are retried only when the broadcast has ended', async () => {
    await subscribePerson(service, project);
    await service.pool.query(`UPDATE bot_pace SET next_at = now() + interval '1 hour'`);
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'later' });
    expectError(await project.api('POST', `/v1/broadcast/${String(body.job_id)}/retry`), 'conflict', /ended/);
    await project.api('DELETE', `/v1/broadcast/${String(body.job_id)}`);
    await untilBroadcast(project, String(body.job_id), 'cancelled');
    expect((await get(`/v1/broadcast/${String(body.job_id)}/stats`)).reasons).toEqual([
      { reason: 'cancelled', count: 1 },
    ]);
  });
});
