import { thenDue } from '../../support/agenda';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { subscribePerson, untilBroadcast, type Person } from './fixture';

describe('what the dashboard reads about a subscriber', () => {
  let service: Installation;
  let project: TestProject;
  let person: Person;
  beforeAll(async () => {
    service = await useService();
    project = await service.createProject({ callback_url: 'https://shop.example/login' });
    person = await subscribePerson(service, project);
  });
  afterAll(() => service.stop());

  const list = async (path: string) => (await project.api('GET', path)).body.data;

  it('lists single messages, messages of broadcasts and taps on their buttons', async () => {
    await project.api('POST', '/v1/send', { subscriber_id: person.subscriberId, text: 'first' });
    const { body } = await project.api('POST', '/v1/broadcast', {
      text: 'second',
      buttons: [[{ text: 'More', data: 'more' }]],
    });
    await eventually(async () => {
      const broadcast = await project.api('GET', `/v1/broadcast/${body.job_id}`);
      return broadcast.body.status === 'completed';
    });
    await service.control.tap('telegram', person.name, { button: 0 });
    const path = `/v1/messages?subscriber_id=${person.subscriberId}`;
    await eventually(async () => (await list(path))[0].clicks.length === 1);
    expect(await list(path)).toMatchObject([
      {
        source: 'broadcast',
        source_id: body.job_id,
        status: 'sent',
        text: 'second',
        reason: null,
        clicks: [{ clicked_at: expect.any(String) }],
      },
      { source: 'send', source_id: null, status: 'sent', text: 'first', clicks: [] },
    ]);
    const [ofBroadcast, single] = await list(path);
    expect((await project.api('GET', `/v1/messages/${ofBroadcast.delivery_id}`)).body).toEqual({
      ...ofBroadcast,
      content: {
        text: 'second',
        format: 'plain',
        buttons: [[{ text: 'More', data: 'more' }]],
        media: null,
        personalize: false,
        template: null,
        vars: {},
      },
    });
    expect((await project.api('GET', `/v1/messages/${single.delivery_id}`)).body).toMatchObject({
      status: 'sent',
      reason: null,
      content: { text: 'first', buttons: [] },
    });
    const page = await project.api('GET', `${path}&limit=1`);
    const rest = await list(`${path}&limit=1&cursor=${page.body.next_cursor}`);
    expect(rest).toMatchObject([{ text: 'first' }]);
    expect((await project.api('GET', '/v1/messages/stats')).body).toEqual({ sent: 2, failed: 0 });

    const other = await service.createProject();
    expect((await other.api('GET', path)).body.code).toBe('subscriber_not_found');
    expect((await other.api('GET', `/v1/messages/${single.delivery_id}`)).body.code).toBe('not_found');
    expect((await other.api('GET', '/v1/messages/stats')).body).toEqual({ sent: 0, failed: 0 });
  });

  it('lists the messages of a project by source, status and time, in pages', async () => {
    const own = await service.createProject();
    const anna = await subscribePerson(service, own);
    const boris = await subscribePerson(service, own, 'max');
    const messages = async (query = '') => (await own.api('GET', `/v1/messages?${query}`)).body.data;
    const to = { subscriber_id: anna.subscriberId };
    const content = { text: 'hello' };
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const scheduled = await own.api('POST', '/v1/scheduled', { ...to, content, scheduled_at: at });
    const toAll = await own.api('POST', '/v1/scheduled', {
      content,
      audience: { channel: 'max' },
      scheduled_at: at,
    });
    // They come due now, however long the requests have taken.
    await service.pool.query(
      thenDue(
        'scheduled',
        `UPDATE scheduled SET scheduled_at = $2, next_at = now(), revision = revision + 1 WHERE project_id = $1`,
      ),
      [own.id, new Date().toISOString()],
    );
    // At a time that has just been: the next one is a day away.
    const now = new Date();
    const recurring = await own.api('POST', '/v1/recurring', {
      name: 'Digest',
      content,
      audience: { channel: 'max' },
      cron: `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`,
      timezone: 'UTC',
    });
    await own.api('POST', `/v1/recurring/${recurring.body.recurring_id}/run`);
    const chain = await own.api('POST', '/v1/drip-chains', {
      name: 'Welcome',
      trigger: { type: 'subscription' },
      steps: [{ id: 'hello', type: 'send', content }],
      status: 'active',
    });
    await own.api('POST', `/v1/drip-chains/${chain.body.drip_id}/enrolments`, to);
    await own.api('POST', '/v1/otp/send', to);
    const batch = await own.api('POST', '/v1/send/batch', { messages: [{ ...to, text: 'hello' }] });
    const { body: before } = await own.api('POST', '/v1/send', { ...to, text: 'hello' });
    // One of the other messages would take the fault.
    await eventually(async () => (await messages('status=sent')).length === 7);
    await service.control.faults('max', { method: 'sendMessage', status: 400, user: boris.name });
    await own.api('POST', '/v1/send', { subscriber_id: boris.subscriberId, text: 'refused' });

    const all = await eventually(async () => {
      const found: Record<string, unknown>[] = await messages();
      const isDone = found.every(({ status }) => status === 'sent' || status === 'failed');
      return found.length === 8 && isDone ? found : null;
    });
    expect(
      all
        .map(({ source, source_id, subscriber_id }) => [source, source_id, subscriber_id])
        .sort((one, other) => (String(one) < String(other) ? -1 : 1)),
    ).toEqual([
      ['batch', batch.body.batch_id, anna.subscriberId],
      ['drip', chain.body.drip_id, anna.subscriberId],
      ['otp', null, anna.subscriberId],
      ['recurring', recurring.body.recurring_id, boris.subscriberId],
      ['scheduled', expect.any(String), expect.any(String)],
      ['scheduled', expect.any(String), expect.any(String)],
      ...[anna.subscriberId, boris.subscriberId].sort().map((subscriber) => ['send', null, subscriber]),
    ]);
    const times = all.map(({ created_at }) => String(created_at));
    expect(times).toEqual([...times].sort().reverse());

    const by = async (query: string) =>
      (await messages(query)).map(({ delivery_id }: { delivery_id: string }) => delivery_id);
    const ids = (wanted: (message: Record<string, unknown>) => boolean) =>
      all.filter(wanted).map(({ delivery_id }) => delivery_id);
    for (const source of ['send', 'otp', 'batch', 'broadcast', 'scheduled', 'recurring', 'drip', 'bot']) {
      expect(await by(`source=${source}`)).toEqual(ids((message) => message['source'] === source));
    }
    for (const [id, person] of [
      [scheduled.body.scheduled_id, anna],
      [toAll.body.scheduled_id, boris],
      [recurring.body.recurring_id, boris],
      [chain.body.drip_id, anna],
    ] as const) {
      expect(await by(`source_id=${id}`)).toEqual(ids((message) => message['source_id'] === id));
      expect(await by(`source_id=${id}&subscriber_id=${person.subscriberId}`)).toHaveLength(1);
    }
    expect(await by('status=failed')).toEqual(ids(({ status }) => status === 'failed'));
    expect(await messages('status=failed&source=send')).toMatchObject([{ text: 'refused', source: 'send' }]);
    expect(await by(`subscriber_id=${boris.subscriberId}`)).toEqual(
      ids(({ subscriber_id }) => subscriber_id === boris.subscriberId),
    );
    const single = all.find(({ delivery_id }) => delivery_id === before.details[0].delivery_id);
    const since = String(single?.['created_at']);
    expect(await by(`since=${encodeURIComponent(since)}`)).toEqual(
      ids(({ created_at }) => String(created_at) >= since),
    );
    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body }: { body: { data: { delivery_id: string }[]; next_cursor: string | null } } =
        await own.api('GET', `/v1/messages?limit=1${cursor && `&cursor=${cursor}`}`);
      paged.push(...body.data.map(({ delivery_id }) => delivery_id));
      cursor = body.next_cursor;
    }
    expect(paged).toEqual(ids(() => true));
    expect((await project.api('GET', `/v1/messages?source_id=${batch.body.batch_id}`)).body.data).toEqual([]);
  });

  it('shows a personal message of a batch that waits as it would be rendered now', async () => {
    const own = await service.createProject();
    const { subscriberId } = await subscribePerson(service, own, 'telegram', { first_name: 'Anna' });
    await service.pool.query(`UPDATE bot_pace SET next_at = now() + interval '1 hour'`);
    await own.api('POST', '/v1/send/batch', {
      messages: [{ subscriber_id: subscriberId, text: 'Hi {{first_name}}', personalize: true }],
    });
    const { body } = await own.api('GET', '/v1/messages?source=batch');
    await service.pool.query(`UPDATE bot_pace SET next_at = '-infinity'`);
    expect(body.data).toMatchObject([{ status: 'queued', text: 'Hi Anna' }]);
  });

  it('shows a message of a broadcast that was cancelled before it', async () => {
    await subscribePerson(service, project);
    const { body } = await project.api('POST', '/v1/broadcast', { text: 'slow', messages_per_minute: 1 });
    await eventually(async () => (await project.api('GET', `/v1/broadcast/${body.job_id}`)).body.sent === 1);
    await project.api('DELETE', `/v1/broadcast/${body.job_id}`);
    await untilBroadcast(project, body.job_id, 'cancelled');
    const { body: all } = await project.api('GET', '/v1/subscribers');
    const lists = await Promise.all(
      (all.data as { subscriber_id: string }[]).map(({ subscriber_id }) =>
        list(`/v1/messages?subscriber_id=${subscriber_id}&limit=1`),
      ),
    );
    const reasons = lists.flat().map(({ status, reason }) => [status, reason]);
    expect(reasons.sort()).toEqual([
      ['sent', null],
      ['skipped', 'cancelled'],
    ]);
  });

  it('lists their logins, with name and device', async () => {
    const agent = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/120.0';
    const { body } = await project.api('POST', '/v1/auth/session', { state: 'x', user_agent: agent });
    await project.api('POST', '/v1/auth/session', { state: 'nobody' });
    const start = new URL(body.telegram_link).searchParams.get('start');
    await service.control.open('telegram', person.name, { start, first_name: 'Anna' });
    await eventually(async () => {
      const { messages } = await service.control.chat('telegram', person.name);
      return messages.at(-1)?.buttons.length;
    });
    await service.control.tap('telegram', person.name, { button: 0 });
    const path = `/v1/auth/sessions?subscriber_id=${person.subscriberId}`;
    await eventually(async () => (await list(path)).length === 1);
    expect(await list(path)).toMatchObject([{ first_name: 'Anna', user_agent: agent, state: 'x' }]);
    const other = await service.createProject();
    expect((await other.api('GET', path)).body.code).toBe('subscriber_not_found');
  });

  it('finds subscribers by the beginning of name, username and external_id in any case, and by tag', async () => {
    await service.pool.query(
      `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, username, external_id, tags, lang)
       VALUES ($1, 'max', 'q1', 'q1', 'Юлия', 'Julia_P', 'Order-100%', '{vip}', 'ru'),
         ($1, 'max', 'q2', 'q2', $2, NULL, NULL, '{}', 'ru')`,
      [project.id, 'x'.repeat(5_000)],
    );
    const names = async (q: string) =>
      (await list(`/v1/subscribers?q=${encodeURIComponent(q)}`)).map(
        ({ first_name }: { first_name: string }) => first_name.slice(0, 4),
      );
    for (const q of ['юл', 'ЮЛИЯ', 'julia', '@julia', 'order-100', 'vip']) {
      expect([q, await names(q)]).toEqual([q, ['Юлия']]);
    }
    for (const q of ['ulia', '%', '_', 'vi']) expect([q, await names(q)]).toEqual([q, []]);
    expect(await names('xxx')).toEqual(['xxxx']);
    expect(await list('/v1/subscribers?q=vip&channel=telegram')).toEqual([]);
  });
});
