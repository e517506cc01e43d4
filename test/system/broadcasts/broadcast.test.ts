import { workflowIds } from '../../../src/base/temporal/names';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import {
  addCrowd,
  blockBilling,
  eventsOf,
  subscribePerson,
  textsTo,
  untilBroadcast,
} from '../messages/fixture';

jest.setTimeout(120_000);

describe('a broadcast', () => {
  let service: Installation;
  let project: TestProject;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterEach(async () => {
    for (const channel of ['telegram', 'max'] as const) {
      await service.control.faults(channel, { clear: true });
    }
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
  });
  afterAll(() => service.stop());

  const start = (body: Record<string, unknown> = {}) =>
    project.api('POST', '/v1/broadcast', { text: 'news', ...body });

  async function run(body: Record<string, unknown> = {}) {
    const { status, body: started } = await start(body);
    expect(status).toBe(202);
    return untilBroadcast(project, started.job_id as string, 'completed');
  }

  const resultsOf = async (jobId: unknown, status: string) =>
    (await project.api('GET', `/v1/broadcast/${String(jobId)}/results?status=${status}`)).body
      .data as object[];

  it('reaches every subscriber on both channels once, and reports its counts', async () => {
    const people = [
      await subscribePerson(service, project),
      await subscribePerson(service, project, 'max'),
      await subscribePerson(service, project),
    ];
    const started = await start();
    expect(started.body).toEqual({
      job_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'queued',
      total_subscribers: 3,
    });
    const jobId = started.body.job_id as string;
    const done = await untilBroadcast(project, jobId, 'completed');
    expect(done).toMatchObject({
      total_subscribers: 3,
      sent: 3,
      failed: 0,
      skipped: 0,
      remaining: 0,
      possible_duplicates: 0,
      ended_at: expect.any(String),
      content: { text: 'news', format: 'plain', buttons: [], media: null },
      audience: { tags_all: [], tags_any: [], exclude_tags: [], permission: null, channel: null },
    });
    for (const person of people) {
      expect((await textsTo(service, person)).filter((text) => text === 'news')).toHaveLength(1);
    }
    expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(3);
    expect(await eventsOf(service, project, 'broadcast.completed', 'broadcast.cancelled')).toEqual([
      { name: 'broadcast.completed', data: { job_id: jobId, sent: 3, failed: 0, skipped: 0, total: 3 } },
    ]);
    const workflow = await eventually(async () => {
      const described = await service.client.workflow.getHandle(workflowIds.broadcast(jobId)).describe();
      return described.status.name === 'COMPLETED' ? described : null;
    });
    expect(workflow.typedSearchAttributes.getAll().map((pair) => pair.value)).toContain(project.id);

    const list = await project.api('GET', '/v1/broadcast');
    expect(list.body).toEqual({ data: [done], next_cursor: null });
  });

  it('chooses by tags, permission and channel', async () => {
    const a = await subscribePerson(service, project);
    const ab = await subscribePerson(service, project);
    const b = await subscribePerson(service, project, 'max');
    const set = (who: { subscriberId: string }, body: unknown) =>
      project.api('PATCH', `/v1/subscribers/${who.subscriberId}`, body);
    await set(a, { tags: ['a'], permissions: ['news'] });
    await set(ab, { tags: ['a', 'b'] });
    await set(b, { tags: ['b'] });
    const count = async (filter: Record<string, unknown>) => {
      const { status, body } = await start({ ...filter, dry_run: true });
      expect(status).toBe(202);
      expect(body).toMatchObject({ job_id: null, status: 'dry_run' });
      return body.total_subscribers as number;
    };
    expect(await count({})).toBe(3);
    expect(await count({ tags_all: ['a', 'b'] })).toBe(1);
    expect(await count({ tags_any: ['a', 'b'] })).toBe(3);
    expect(await count({ tags_any: ['a'], exclude_tags: ['b'] })).toBe(1);
    expect(await count({ exclude_tags: ['a'] })).toBe(1);
    expect(await count({ permission: 'news' })).toBe(1);
    expect(await count({ channel: 'max' })).toBe(1);
    expect((await project.api('GET', '/v1/broadcast')).body.data).toEqual([]);

    expect(await run({ tags_any: ['a'], exclude_tags: ['b'], text: 'only a' })).toMatchObject({ sent: 1 });
    expect((await textsTo(service, a)).at(-1)).toBe('only a');
    expect(await textsTo(service, ab)).not.toContain('only a');
  });

  it('skips inactive subscribers, including those who leave before their turn, and counts them', async () => {
    const stopped = await subscribePerson(service, project);
    await service.control.say('telegram', stopped.name, '/stop');
    await eventually(async () => (await eventsOf(service, project, 'subscription.deleted')).length === 1);
    await subscribePerson(service, project);
    const removed = await subscribePerson(service, project, 'max');
    // The bot is paused: the audience is taken, and no recipient's turn has come.
    await service.pool.query(`UPDATE bot_pace SET next_at = now() + interval '1 hour'`);
    const { body } = await start();
    expect(body.total_subscribers).toBe(3);
    await project.api('DELETE', `/v1/subscribers/${removed.subscriberId}`);
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
    const done = await untilBroadcast(project, body.job_id as string, 'completed');
    expect(done).toMatchObject({ sent: 1, failed: 0, skipped: 2, total_subscribers: 3 });
    const [event] = await eventsOf(service, project, 'broadcast.completed');
    expect(event?.data).toMatchObject({ sent: 1, failed: 0, skipped: 2, total: 3 });
    const skipped = await resultsOf(body.job_id, 'skipped');
    expect(skipped).toHaveLength(2);
    expect(skipped).toContainEqual({
      subscriber_id: stopped.subscriberId,
      channel: 'telegram',
      status: 'skipped',
      reason: 'unsubscribed',
      delivery_id: null,
    });
    const { body: log } = await project.api('GET', `/v1/messages?subscriber_id=${stopped.subscriberId}`);
    expect(log.data).toEqual([]);
  });

  it('skips those who withdraw the permission before their turn', async () => {
    const [stays, leaves] = [
      await subscribePerson(service, project),
      await subscribePerson(service, project),
    ];
    const allow = ({ subscriberId }: { subscriberId: string }, permissions: string[]) =>
      project.api('PATCH', `/v1/subscribers/${subscriberId}`, { permissions });
    for (const person of [stays, leaves]) await allow(person, ['news']);
    await service.pool.query(`UPDATE bot_pace SET next_at = now() + interval '1 hour'`);
    const { body } = await start({ permission: 'news' });
    await allow(leaves, []);
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
    const done = await untilBroadcast(project, body.job_id as string, 'completed');
    expect(done).toMatchObject({ sent: 1, failed: 0, skipped: 1 });
    expect(await resultsOf(body.job_id, 'skipped')).toMatchObject([
      { subscriber_id: leaves.subscriberId, reason: 'permission_missing', delivery_id: null },
    ]);
    expect(await textsTo(service, leaves)).not.toContain('news');
  });

  it('without recipients is completed at once', async () => {
    expect(await run()).toMatchObject({ total_subscribers: 0, sent: 0 });
    expect(await eventsOf(service, project, 'broadcast.completed')).toHaveLength(1);
  });

  it('reports a refusal with its reason, ends the subscription of a user who blocked the bot, and continues', async () => {
    await subscribePerson(service, project);
    for (const fault of [
      { status: 403 },
      { status: 400, description: 'Bad Request: chat not found' },
      { drop: true },
    ]) {
      const { name: user } = await subscribePerson(service, project);
      await service.control.faults('telegram', { method: 'sendMessage', user, ...fault });
    }
    expect(await run()).toMatchObject({ sent: 1, failed: 3, skipped: 0 });
    const failed = await eventsOf(service, project, 'delivery.failed');
    expect(failed.map((event) => event.data['reason']).sort()).toEqual([
      'chat_not_found',
      'platform_unavailable',
      'user_blocked_bot',
    ]);
    expect(await eventsOf(service, project, 'subscription.deleted')).toHaveLength(1);
  });

  it.each(['telegram', 'max'] as const)(
    'waits out a 429 for the whole bot on %s, and misses and repeats no recipient',
    async (channel) => {
      const people = [];
      for (let i = 0; i < 6; i += 1) people.push(await subscribePerson(service, project, channel));
      for (const { name: user } of people.slice(0, 3)) {
        await service.control.faults(channel, { method: 'sendMessage', status: 429, retry_after: 2, user });
      }
      const done = await run();
      expect(done).toMatchObject({ sent: 6, failed: 0 });
      const seconds = (Date.parse(done.ended_at ?? '') - Date.parse(done.started_at ?? '')) / 1000;
      expect(seconds).toBeGreaterThanOrEqual(2);
      for (const person of people) {
        expect((await textsTo(service, person)).filter((text) => text === 'news')).toHaveLength(1);
      }
      expect(await eventsOf(service, project, 'delivery.failed')).toEqual([]);
    },
  );

  it('retries after a 5xx of the platform, and gives up after five tries', async () => {
    const { name: user } = await subscribePerson(service, project);
    await service.control.faults('telegram', { method: 'sendMessage', status: 502, times: 2, user });
    expect(await run()).toMatchObject({ sent: 1, failed: 0 });
    await service.control.faults('telegram', { method: 'sendMessage', status: 502, times: 10, user });
    expect(await run({ text: 'in vain' })).toMatchObject({ sent: 0, failed: 1 });
    const calls = await service.control.calls('telegram', 'sendMessage');
    expect(calls.filter(({ text }) => text === 'in vain')).toHaveLength(5);
  });

  it('keeps the requested pace', async () => {
    await addCrowd(service, project, 'telegram', 12);
    const done = await run({ messages_per_minute: 240 });
    const seconds = (Date.parse(done.ended_at ?? '') - Date.parse(done.started_at ?? '')) / 1000;
    // Twelve at four a second: the first at once, the last after 11/4 seconds, less what a pace may make up for.
    expect(seconds).toBeGreaterThanOrEqual(2.5);
    expect(done).toMatchObject({ sent: 12, messages_per_minute: 240 });
  });

  it('shares the pace of a bot with other broadcasts', async () => {
    await addCrowd(service, project, 'telegram', 200);
    const other = await service.createProject();
    await addCrowd(service, other, 'telegram', 200);
    const jobs = await Promise.all(
      [project, other].map((each) => each.api('POST', '/v1/broadcast', { text: 'x' })),
    );
    const [first, second] = await Promise.all([
      untilBroadcast(project, jobs[0]?.body.job_id as string, 'completed'),
      untilBroadcast(other, jobs[1]?.body.job_id as string, 'completed'),
    ]);
    const begun = Math.min(Date.parse(first.started_at ?? ''), Date.parse(second.started_at ?? ''));
    const ended = Math.max(Date.parse(first.ended_at ?? ''), Date.parse(second.ended_at ?? ''));
    // 400 at 200 a second, at most a fifth faster while an idle time is made up for.
    expect(ended - begun).toBeGreaterThanOrEqual(1_400);
    expect([first.sent, second.sent]).toEqual([200, 200]);
  });

  it('is cancelled at any moment, with counts that add up', async () => {
    await addCrowd(service, project, 'telegram', 300);
    const { body } = await start({ messages_per_minute: 1200 });
    const jobId = body.job_id as string;
    const running = await eventually(async () => {
      const { body: view } = await project.api('GET', `/v1/broadcast/${jobId}`);
      return view.sent > 3 ? view : null;
    });
    expect(running).toMatchObject({ status: 'running', ended_at: null });
    expect(running.sent + running.failed + running.skipped + running.remaining).toBe(300);
    const cancelled = await project.api('DELETE', `/v1/broadcast/${jobId}`);
    expect(cancelled.status).toBe(200);
    // After two seconds its response does not wait for the messages in flight.
    expect(['cancelling', 'cancelled']).toContain(cancelled.body.status);
    const end = await untilBroadcast(project, jobId, 'cancelled');
    expect(end.sent + end.failed + end.skipped).toBe(300);
    expect(end.skipped).toBeGreaterThan(0);
    const events = await eventsOf(service, project, 'broadcast.completed', 'broadcast.cancelled');
    expect(events).toEqual([
      {
        name: 'broadcast.cancelled',
        data: { job_id: jobId, sent: end.sent, failed: end.failed, skipped: end.skipped, total: 300 },
      },
    ]);
    expect(await eventsOf(service, project, 'delivery.success')).toHaveLength(end.sent);
    expect((await project.api('DELETE', `/v1/broadcast/${jobId}`)).body).toEqual(end);
    await eventually(async () => {
      const described = await service.client.workflow.getHandle(workflowIds.broadcast(jobId)).describe();
      return described.status.name === 'COMPLETED';
    });
    expect((await project.api('GET', `/v1/broadcast/${jobId}`)).body).toEqual(end);
  });

  it('cannot be cancelled once it is completed', async () => {
    const done = await run();
    const { status, body } = await project.api('DELETE', `/v1/broadcast/${done.job_id}`);
    expect([status, body.code]).toEqual([409, 'conflict']);
  });

  it('ends as cancelled when an operator cancels its workflow', async () => {
    await addCrowd(service, project, 'max', 50);
    const { body } = await start({ messages_per_minute: 60 });
    const jobId = body.job_id as string;
    const handle = service.client.workflow.getHandle(workflowIds.broadcast(jobId));
    await eventually(async () => (await project.api('GET', `/v1/broadcast/${jobId}`)).body.sent > 0);
    await handle.cancel();
    const end = await untilBroadcast(project, jobId, 'cancelled');
    expect(end.sent + end.failed + end.skipped).toBe(50);
    expect(await eventsOf(service, project, 'broadcast.cancelled')).toHaveLength(1);
  });

  it('continues when its workflow was terminated', async () => {
    await addCrowd(service, project, 'max', 40);
    const { body } = await start({ messages_per_minute: 300 });
    const jobId = body.job_id as string;
    await eventually(async () => (await project.api('GET', `/v1/broadcast/${jobId}`)).body.sent > 0);
    await service.client.workflow.getHandle(workflowIds.broadcast(jobId)).terminate('by a test');
    // The agenda replaces a workflow that has not reported for two minutes; the test does not wait for them.
    await service.pool.query('UPDATE agenda SET due_at = now() WHERE id = $1', [jobId]);
    expect(await untilBroadcast(project, jobId, 'completed')).toMatchObject({ failed: 0, skipped: 0 });
    expect(await eventsOf(service, project, 'broadcast.completed')).toHaveLength(1);
  });

  it('does not hold up a login', async () => {
    await addCrowd(service, project, 'telegram', 20_000);
    // As on a young installation: the statistics know small broadcasts only when the cancel below reads a large one.
    await service.pool.query('ANALYZE broadcasts, broadcast_recipients');
    const { body } = await start();
    const jobId = body.job_id as string;
    await eventually(async () => (await project.api('GET', `/v1/broadcast/${jobId}`)).body.sent > 50);
    const session = await project.api('POST', '/v1/auth/session', { state: 'abc' });
    const token = new URL(session.body.telegram_link as string).searchParams.get('start');
    await service.control.open('telegram', 'hurried', { start: token });
    await eventually(async () => {
      const { messages } = await service.control.chat('telegram', 'hurried');
      return messages.some((message) => message.buttons.length > 0);
    });
    await service.control.tap('telegram', 'hurried', { button: 'Yes' });
    await eventually(async () => {
      const { rows } = await service.pool.query<{ status: string }>(
        'SELECT status FROM auth_sessions WHERE id = $1',
        [session.body.session_id],
      );
      return rows[0]?.status === 'confirmed';
    });
    // A hundred seconds of messages were waiting when the login began; it did not queue behind them.
    expect((await project.api('GET', `/v1/broadcast/${jobId}`)).body.status).toBe('running');
    await project.api('DELETE', `/v1/broadcast/${jobId}`);
    await untilBroadcast(project, jobId, 'cancelled');
  });

  it('reports taps on its buttons', async () => {
    const person = await subscribePerson(service, project);
    await run({ text: 'Coming?', buttons: [[{ text: 'Yes!', data: 'coming' }]] });
    await service.control.tap('telegram', person.name, { button: 'Yes!' });
    const [event] = await eventually(async () => {
      const events = await eventsOf(service, project, 'button.clicked');
      return events.length > 0 ? events : null;
    });
    const [success] = await eventsOf(service, project, 'delivery.success');
    expect(event?.data).toMatchObject({ data: 'coming', delivery_id: success?.data['delivery_id'] });
  });

  it('has at most 100,000 recipients', async () => {
    await addCrowd(service, project, 'telegram', 100_001);
    for (const dry_run of [true, false]) {
      const { status, body } = await start({ dry_run });
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.error).toContain('100000');
    }
    expect((await project.api('GET', '/v1/broadcast')).body.data).toEqual([]);
    await service.pool.query(
      `UPDATE subscribers SET active = false WHERE id = (SELECT id FROM subscribers WHERE project_id = $1 LIMIT 1)`,
      [project.id],
    );
    expect((await start({ dry_run: true })).body.total_subscribers).toBe(100_001);
  });

  it('needs a text, credits, and a job that is the project’s own', async () => {
    expect((await project.api('POST', '/v1/broadcast', {})).body.code).toBe('validation_failed');
    expect((await start({ text: 'x'.repeat(4001) })).body.code).toBe('validation_failed');
    expect((await start({ messages_per_minute: 0 })).body.error).toContain('messages_per_minute');
    expect((await start({ tags: ['x'] })).body.error).toContain('tags');
    const done = await run();
    const stranger = await service.createProject();
    for (const [api, id] of [
      [stranger.api, done.job_id],
      [project.api, 'x'],
      [project.api, '00000000-0000-4000-8000-000000000000'],
    ] as const) {
      for (const method of ['GET', 'DELETE']) {
        const { status, body } = await api(method, `/v1/broadcast/${id}`);
        expect([status, body.code]).toEqual([404, 'not_found']);
      }
    }
    await blockBilling(service, project);
    expect((await start()).body.code).toBe('billing_blocked');
    expect((await start({ dry_run: true })).body.code).toBe('billing_blocked');
    expect((await project.api('GET', '/v1/broadcast')).body.data).toHaveLength(1);
  });
});
