import { randomUUID } from 'node:crypto';
import { formatSubscriberId } from '../../../src/base/contract/ids';
import { eventually } from '../../support/eventually';
import type { Installation, TestProject } from '../../support/installation';
import { useService } from '../../support/use-service';
import { eventsOf, subscribePerson, textsTo } from '../messages/fixture';
import { createEndpoint } from '../webhooks/fixture';

describe('subscribers', () => {
  let service: Installation;
  let project: TestProject;
  beforeAll(async () => {
    service = await useService();
  });
  beforeEach(async () => {
    project = await service.createProject();
  });
  afterAll(() => service.stop());

  it('come by the subscribe link, whose greeting says how to stop', async () => {
    const { body } = await project.api('GET', '/v1/subscribe-link');
    expect(Object.keys(body).sort()).toEqual([
      'max_link',
      'max_mini_app',
      'telegram_link',
      'telegram_mini_app',
    ]);
    expect(new URL(body.telegram_link as string).searchParams.get('start')).toBe(`proj_${project.slug}`);
    expect(new URL(body.max_link as string).searchParams.get('start')).toBe(`proj_${project.slug}`);

    const person = await subscribePerson(service, project, 'max', { language_code: 'ru' });
    expect((await textsTo(service, person)).at(-1)).toContain('/stop');
    const events = await eventsOf(service, project, 'subscription.created');
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toMatchObject({
      subscriber_id: person.subscriberId,
      channel: 'max',
      active: true,
    });
  });

  it('are listed newest first, page by page, and filtered', async () => {
    const people = [];
    for (const channel of ['telegram', 'max', 'telegram'] as const) {
      people.push(await subscribePerson(service, project, channel));
    }
    const [first, second, third] = people.map((person) => person.subscriberId);
    await project.api('PATCH', `/v1/subscribers/${first}`, { tags: ['vip'], external_id: 'user 1' });
    const ids = async (query: string) => {
      const { status, body } = await project.api('GET', `/v1/subscribers${query}`);
      expect(status).toBe(200);
      return (body.data as { subscriber_id: string }[]).map((entry) => entry.subscriber_id);
    };
    expect(await ids('')).toEqual([third, second, first]);
    expect(await ids('?channel=max')).toEqual([second]);
    expect(await ids('?tag=vip')).toEqual([first]);
    expect(await ids('?external_id=user%201')).toEqual([first]);
    expect(await ids('?active=false')).toEqual([]);
    expect(await ids(`?ids=${first},${randomUUID()},${third},no-id`)).toEqual([third, first]);
    expect(await ids(`?ids=${first},${third}&channel=telegram&q=user%201`)).toEqual([first]);
    const many = Array.from({ length: 101 }, () => first).join();
    expect((await project.api('GET', `/v1/subscribers?ids=${many}`)).body.code).toBe('validation_failed');

    const page = await project.api('GET', '/v1/subscribers?limit=2');
    expect(page.body.data).toHaveLength(2);
    const next = await project.api(
      'GET',
      `/v1/subscribers?limit=2&cursor=${page.body.next_cursor as string}`,
    );
    expect(next.body.data.map((entry: { subscriber_id: string }) => entry.subscriber_id)).toEqual([first]);
    expect(next.body.next_cursor).toBeNull();
    expect((await project.api('GET', '/v1/subscribers?channel=icq')).body.code).toBe('validation_failed');
    expect((await project.api('GET', '/v1/subscribers?cursor=nonsense')).body.code).toBe('validation_failed');
  });

  it('are found by both forms of their id; unknown, malformed and foreign ids get the same 404', async () => {
    const person = await subscribePerson(service, project, 'telegram', { username: 'anna' });
    const plain = await project.api('GET', `/v1/subscribers/${person.subscriberId}`);
    const prefixed = await project.api(
      'GET',
      `/v1/subscribers/${formatSubscriberId(person.subscriberId, 'prefixed')}`,
    );
    expect(plain.status).toBe(200);
    expect(plain.body).toEqual(prefixed.body);
    expect(plain.body).toMatchObject({
      subscriber_id: person.subscriberId,
      channel: 'telegram',
      external_id: null,
      username: 'anna',
      permissions: [],
      tags: [],
      active: true,
      blocked: false,
    });

    const stranger = await service.createProject();
    for (const [api, id] of [
      [project.api, '00000000-0000-4000-8000-000000000000'],
      [project.api, 'sub_nobody'],
      [project.api, 'x'],
      [stranger.api, person.subscriberId],
    ] as const) {
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const { status, body } = await api(
          method,
          `/v1/subscribers/${id}`,
          method === 'PATCH' ? {} : undefined,
        );
        expect([status, body.code]).toEqual([404, 'subscriber_not_found']);
      }
    }
  });

  it('are changed in part; a change of permissions is an event', async () => {
    const { subscriberId } = await subscribePerson(service, project);
    const path = `/v1/subscribers/${subscriberId}`;
    const first = await project.api('PATCH', path, { external_id: 'user-42', permissions: ['news', 'news'] });
    expect(first.body).toMatchObject({ external_id: 'user-42', permissions: ['news'], tags: [] });
    const second = await project.api('PATCH', path, { tags: ['a', 'b'] });
    expect(second.body).toMatchObject({ external_id: 'user-42', permissions: ['news'], tags: ['a', 'b'] });
    await project.api('PATCH', path, { permissions: ['news'], external_id: null });
    await project.api('PATCH', path, { permissions: ['offers'] });
    expect(await eventsOf(service, project, 'subscription.permission_changed')).toEqual([
      {
        name: 'subscription.permission_changed',
        data: {
          subscriber_id: subscriberId,
          channel: 'telegram',
          external_id: 'user-42',
          permissions: ['news'],
          previous: [],
          occurred_at: expect.stringMatching(/\+00:00$/),
        },
      },
      {
        name: 'subscription.permission_changed',
        data: expect.objectContaining({ external_id: null, permissions: ['offers'], previous: ['news'] }),
      },
    ]);
  });

  it('have a time zone and properties, which are merged; events do not carry them', async () => {
    const { subscriberId } = await subscribePerson(service, project);
    const path = `/v1/subscribers/${subscriberId}`;
    const patch = (body: unknown) => project.api('PATCH', path, body);
    expect((await project.api('GET', path)).body).toMatchObject({ timezone: null, properties: {} });
    await patch({ timezone: 'Asia/Kolkata', properties: { city: 'Pune', visits: 3, vip: true } });
    const changed = await patch({
      properties: { visits: 4.5, vip: null, since: 'May' },
      permissions: ['news'],
    });
    expect(changed.body).toMatchObject({
      timezone: 'Asia/Kolkata',
      properties: { city: 'Pune', visits: 4.5, since: 'May' },
    });
    expect((await project.api('GET', '/v1/subscribers')).body.data[0]).toEqual(changed.body);
    expect((await patch({ timezone: null })).body.timezone).toBeNull();
    const events = await eventsOf(service, project, 'subscription.created');
    expect(Object.keys(events[0]?.data ?? {})).toHaveLength(11);

    for (const wrong of [
      { timezone: 'Mars/Olympus' },
      { timezone: 'utc' },
      { timezone: '' },
      { properties: { City: 'x' } },
      { properties: { ['x'.repeat(65)]: 1 } },
      { properties: { a: 'x'.repeat(257) } },
      { properties: { a: [1] } },
      { properties: { a: {} } },
      { properties: null },
      { properties: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, n])) },
    ]) {
      const { status, body } = await patch(wrong);
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.error).toContain(Object.keys(wrong)[0]);
    }
  });

  it('have at most 50 properties, however many requests add some at once', async () => {
    const { subscriberId } = await subscribePerson(service, project);
    const patch = (properties: object) =>
      project.api('PATCH', `/v1/subscribers/${subscriberId}`, { properties });
    await patch(Object.fromEntries(Array.from({ length: 45 }, (_, n) => [`k${n}`, n])));
    const added = await Promise.all(Array.from({ length: 10 }, (_, n) => patch({ [`more_${n}`]: true })));
    expect(added.filter(({ status }) => status === 200)).toHaveLength(5);
    expect(added.filter(({ body }) => body.code === 'conflict')).toHaveLength(5);
    // One goes and one comes.
    expect((await patch({ k0: null, last: 'x'.repeat(256) })).status).toBe(200);
  });

  it('refuse an external_id and tags that are not valid, and name the field', async () => {
    const { subscriberId } = await subscribePerson(service, project);
    const patch = (body: unknown) => project.api('PATCH', `/v1/subscribers/${subscriberId}`, body);
    for (const external_id of ['', ' a', 'a\n', 'x'.repeat(129)]) {
      expect((await patch({ external_id })).body.code).toBe('invalid_external_id');
    }
    expect((await patch({ external_id: 'x'.repeat(128) })).status).toBe(200);
    for (const tags of [[''], ['x'.repeat(65)], 'vip', [' a']]) {
      const { status, body } = await patch({ tags });
      expect([status, body.code]).toEqual([400, 'validation_failed']);
      expect(body.error).toContain('tags');
    }
    expect((await patch({ tags: ['x'.repeat(64)] })).status).toBe(200);
    expect((await patch({ color: 'red' })).body.error).toContain('color');
  });

  it('have twenty different tags in a project, exactly, also when many are given at once', async () => {
    const people = await Promise.all(Array.from({ length: 6 }, () => subscribePerson(service, project)));
    const answers = await Promise.all(
      people.map((person, i) =>
        project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, {
          tags: Array.from({ length: 5 }, (_, n) => `tag-${i}-${n}`),
        }),
      ),
    );
    const statuses = answers.map((answer) => answer.status).sort();
    expect(statuses).toEqual([200, 200, 200, 200, 409, 409]);
    const refused = answers.findIndex((answer) => answer.status === 409);
    const accepted = answers.findIndex((answer) => answer.status === 200);
    expect(answers[refused]?.body.code).toBe('conflict');

    // A tag that no subscriber has any more makes room, and known ones cost none.
    await project.api('PATCH', `/v1/subscribers/${people[accepted]?.subscriberId}`, { tags: [] });
    const again = await project.api('PATCH', `/v1/subscribers/${people[refused]?.subscriberId}`, {
      tags: ['n1', 'n2', 'n3', 'n4', 'n5'],
    });
    expect(again.status).toBe(200);
    const many = await project.api('PATCH', `/v1/subscribers/${people[0]?.subscriberId}`, {
      permissions: Array.from({ length: 21 }, (_, n) => `p${n}`),
    });
    expect([many.status, many.body.code]).toEqual([409, 'conflict']);
    const endless = await project.api('PATCH', `/v1/subscribers/${people[0]?.subscriberId}`, {
      tags: Array.from({ length: 101 }, (_, n) => `t${n}`),
    });
    expect([endless.status, endless.body.code]).toEqual([400, 'validation_failed']);
  });

  it('are tagged together; an added tag enrols them as a patch does', async () => {
    const [anna, boris] = [await subscribePerson(service, project), await subscribePerson(service, project)];
    const foreign = await subscribePerson(service, await service.createProject());
    const { body: chain } = await project.api('POST', '/v1/drip-chains', {
      name: 'Welcome',
      trigger: { type: 'tag_added', tag: 'vip' },
      steps: [{ id: 'wait', type: 'delay', minutes: 60 }],
      status: 'active',
    });
    const tag = (body: object, headers = {}) => project.api('POST', '/v1/subscribers/tags', body, headers);
    const tagsOf = async ({ subscriberId }: typeof anna) =>
      (await project.api('GET', `/v1/subscribers/${subscriberId}`)).body.tags;
    await project.api('PATCH', `/v1/subscribers/${anna.subscriberId}`, { tags: ['trial', 'old'] });

    const prefixed = formatSubscriberId(boris.subscriberId, 'prefixed');
    const ids = [anna.subscriberId, anna.subscriberId, prefixed, foreign.subscriberId, 'nobody'];
    const once = { 'idempotency-key': `tags-${project.id}` };
    const first = await tag({ ids, add: ['vip'], remove: ['trial'] }, once);
    const failed = [foreign.subscriberId, 'nobody'].map((id) => ({ id, code: 'subscriber_not_found' }));
    expect([first.status, first.body]).toEqual([200, { updated: 2, failed }]);
    expect([await tagsOf(anna), await tagsOf(boris)]).toEqual([['old', 'vip'], ['vip']]);
    const enrolled = await project.api('GET', `/v1/drip-chains/${chain.drip_id}/enrolments`);
    expect(enrolled.body.data).toHaveLength(2);

    await tag({ ids, remove: ['vip'] });
    expect((await tag({ ids, add: ['vip'], remove: ['trial'] }, once)).body).toEqual(first.body);
    expect(await tagsOf(boris)).toEqual([]);

    // All twenty names of the project: those that the request takes from its last subscriber make room for others.
    const names = Array.from({ length: 20 }, (_, n) => `tag ${n}`);
    await tag({ ids, remove: ['old'] });
    expect((await tag({ ids: [anna.subscriberId], add: names })).status).toBe(200);
    const full = await tag({ ids: [prefixed], add: ['one more'], remove: ['tag 0'] });
    expect([full.status, full.body.code]).toEqual([409, 'conflict']);
    expect(await tagsOf(boris)).toEqual([]);
    expect((await tag({ ids, add: ['one more'], remove: ['tag 0'] })).body.updated).toBe(2);
    expect(await tagsOf(boris)).toEqual(['one more']);

    for (const wrong of [
      { ids: [], add: ['a'] },
      { ids },
      { ids, add: [] },
      { ids, add: ['a'], remove: ['a'] },
      { ids: Array.from({ length: 1_001 }, () => 'x'), add: ['a'] },
    ]) {
      expect((await tag(wrong)).body.code).toBe('validation_failed');
    }
  });

  it('are removed with an event, and return as a new subscriber', async () => {
    const person = await subscribePerson(service, project);
    // It does not answer: the event is not erased while it is to be delivered.
    await createEndpoint(project, 'http://127.0.0.1:9/');
    const removed = await project.api('DELETE', `/v1/subscribers/${person.subscriberId}`);
    expect(removed.status).toBe(204);
    expect((await project.api('DELETE', `/v1/subscribers/${person.subscriberId}`)).status).toBe(404);
    const [event] = await eventsOf(service, project, 'subscription.deleted');
    expect(event?.data).toMatchObject({ subscriber_id: person.subscriberId, active: false });

    await service.control.open('telegram', person.name, { start: `proj_${project.slug}` });
    const back = await eventually(async () => {
      const { body } = await project.api('GET', '/v1/subscribers');
      return (body.data as { subscriber_id: string }[])[0];
    });
    expect(back.subscriber_id).not.toBe(person.subscriberId);
  });

  it('stop by /stop, keep their tags, and come back by the link; an inactive one is removed quietly', async () => {
    const person = await subscribePerson(service, project);
    const path = `/v1/subscribers/${person.subscriberId}`;
    await project.api('PATCH', path, { tags: ['vip'], external_id: 'u1' });
    await service.control.say('telegram', person.name, '/stop');
    await eventually(async () => (await project.api('GET', path)).body.active === false);
    expect((await project.api('GET', path)).body).toMatchObject({ blocked: false, tags: ['vip'] });
    expect(await eventsOf(service, project, 'subscription.deleted')).toHaveLength(1);

    await service.control.open('telegram', person.name, { start: `proj_${project.slug}` });
    await eventually(async () => (await project.api('GET', path)).body.active === true);
    expect((await project.api('GET', path)).body).toMatchObject({ tags: ['vip'], external_id: 'u1' });
    expect(await eventsOf(service, project, 'subscription.created')).toHaveLength(2);

    await service.control.say('telegram', person.name, '/stop');
    await eventually(async () => (await project.api('GET', path)).body.active === false);
    expect(await eventsOf(service, project, 'subscription.deleted')).toHaveLength(2);
    expect((await project.api('DELETE', path)).status).toBe(204);
    // The two of before are erased with the person, and there is no third.
    expect(await eventsOf(service, project, 'subscription.deleted')).toEqual([]);
  });

  it.each(['telegram', 'max'] as const)(
    'stop by blocking the bot on %s, once, and come back',
    async (channel) => {
      const person = await subscribePerson(service, project, channel);
      const path = `/v1/subscribers/${person.subscriberId}`;
      await service.control.block(channel, person.name);
      await eventually(async () => (await project.api('GET', path)).body.blocked === true);
      expect((await project.api('GET', path)).body.active).toBe(false);
      expect(await eventsOf(service, project, 'subscription.deleted')).toHaveLength(1);

      await service.control.unblock(channel, person.name);
      await service.control.open(channel, person.name, { start: `proj_${project.slug}` });
      await eventually(async () => (await project.api('GET', path)).body.active === true);
      expect((await project.api('GET', path)).body.blocked).toBe(false);
      expect(await eventsOf(service, project, 'subscription.created')).toHaveLength(2);
    },
  );
});
