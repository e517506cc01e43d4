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
    await eventually(async () => (await list(path))[0].clicked_at.length === 1);
    expect(await list(path)).toMatchObject([
      { kind: 'broadcast', status: 'sent', text: 'second', reason: null },
      { kind: 'send', status: 'sent', text: 'first', clicked_at: [] },
    ]);
    const [ofBroadcast, single] = await list(path);
    expect((await project.api('GET', `/v1/messages/${ofBroadcast.delivery_id}`)).body).toEqual({
      ...ofBroadcast,
      subscriber_id: person.subscriberId,
      content: {
        text: 'second',
        format: 'plain',
        buttons: [[{ text: 'More', data: 'more' }]],
        media: null,
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
