import { createHmac, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { limits } from '../../../src/base/contract/limits';
import { barelyInTime } from '../../support/barely-in-time';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { testBots } from '../../support/simulator-control';
import { eventsOf, freshName, subscribePerson } from '../messages/fixture';

interface Link {
  link_id: string;
  telegram_link: string;
  max_link: string;
  telegram_mini_app: string | null;
  max_mini_app: string | null;
  uses: number;
  [field: string]: unknown;
}

let service: TestService;
beforeAll(async () => {
  // Its own: it has Mini Apps.
  service = await startTestService({
    queues: ['logins'],
    env: { TELEGRAM_MINI_APP: 'shop', MAX_MINI_APP: 'https://max.ru/app_of_test?v=1' },
  });
});
afterAll(() => service?.stop());

async function createLink(project: TestProject, body: Record<string, unknown> = {}): Promise<Link> {
  const { status, body: link } = await project.api<Link>('POST', '/v1/subscribe-links', body);
  expect([status, link]).toEqual([201, expect.anything()]);
  return link;
}

const startOf = (link: string) => new URL(link).searchParams.get('start') ?? '';

/** Opens a link in the bot, and returns what the bot says. */
async function open(user: string, start: string, channel: 'telegram' | 'max' = 'telegram'): Promise<string> {
  const texts = async () => {
    const { messages } = await service.control.chat(channel, user);
    return messages.filter(({ from }) => from === 'bot').map(({ text }) => text);
  };
  const earlier = (await texts().catch(() => [])).length;
  await service.control.open(channel, user, {});
  const before = await eventually(async () => {
    const { length } = await texts();
    return length > earlier ? length : undefined;
  });
  await service.control.open(channel, user, { start, first_name: user });
  return eventually(async () => (await texts())[before]);
}

async function subscriberNamed(project: TestProject, name: string) {
  const { body } = await project.api('GET', `/v1/subscribers?q=${name}`);
  return body.data[0];
}

describe('subscribe links', () => {
  test('subscribe, give their labels and external_id, and show their uses', async () => {
    const project = await service.createProject({ name: 'Shop' });
    const link = await createLink(project, {
      name: 'Till',
      tags: ['vip', 'vip'],
      permissions: ['news'],
      external_id: 'user-42',
    });
    expect(link).toMatchObject({ name: 'Till', tags: ['vip'], permissions: ['news'], max_uses: 1, uses: 0 });
    const start = startOf(link.telegram_link);
    expect(start).toMatch(/^l_[0-9A-Za-z]{22}$/);
    expect(link.telegram_mini_app).toBe(`https://t.me/${testBots.telegram.username}/shop?startapp=${start}`);
    expect(link.max_mini_app).toBe(`https://max.ru/app_of_test?v=1&startapp=${start}`);

    const user = freshName();
    expect(await open(user, start)).toContain('You are subscribed to messages from Shop');
    expect(await subscriberNamed(project, user)).toMatchObject({
      tags: ['vip'],
      permissions: ['news'],
      external_id: 'user-42',
    });
    expect(await open(freshName(), start)).toMatch(/not valid/);
    const { body: list } = await project.api<{ data: Link[] }>('GET', '/v1/subscribe-links');
    expect(list.data).toEqual([{ ...link, uses: 1 }]);
    expect((await project.api('GET', '/v1/subscribe-link')).body).toEqual({
      telegram_link: expect.stringContaining(`start=proj_${project.slug}`),
      max_link: expect.stringContaining(`start=proj_${project.slug}`),
      telegram_mini_app: `https://t.me/${testBots.telegram.username}/shop?startapp=proj_${project.slug}`,
      max_mini_app: `https://max.ru/app_of_test?v=1&startapp=proj_${project.slug}`,
    });
  });

  test('have addresses only for callers who could create them', async () => {
    const project = await service.createProject();
    const link = await createLink(project, { external_id: 'user-43' });
    const viewer = service.apiWith(await service.createKey(project.id, ['read']));
    const hidden = {
      ...link,
      telegram_link: null,
      max_link: null,
      telegram_mini_app: null,
      max_mini_app: null,
    };
    expect((await viewer('GET', `/v1/subscribe-links/${link.link_id}`)).body).toEqual(hidden);
    expect((await viewer('GET', '/v1/subscribe-links')).body['data']).toEqual([hidden]);
    const editor = service.apiWith(await service.createKey(project.id, ['read', 'manage']));
    expect((await editor('GET', '/v1/subscribe-links')).body['data']).toEqual([link]);
  });

  test('add to what a subscriber has, with an event for new permissions; opening again is not a use', async () => {
    const project = await service.createProject();
    const person = await subscribePerson(service, project);
    await project.api('PATCH', `/v1/subscribers/${person.subscriberId}`, {
      tags: ['old'],
      permissions: ['a'],
    });
    const link = await createLink(project, { tags: ['old', 'new'], permissions: ['a', 'b'] });
    await open(person.name, startOf(link.telegram_link));
    await open(person.name, startOf(link.telegram_link));
    const { body } = await project.api('GET', `/v1/subscribers/${person.subscriberId}`);
    expect(body).toMatchObject({ tags: ['old', 'new'], permissions: ['a', 'b'] });
    const changes = await eventsOf(service, project, 'subscription.permission_changed');
    expect(changes.at(-1)).toMatchObject({ data: { permissions: ['a', 'b'], previous: ['a'] } });
    expect((await project.api('GET', `/v1/subscribe-links/${link.link_id}`)).body.uses).toBe(1);
  });

  test('of many users at once as many get in as the link has uses', async () => {
    const project = await service.createProject();
    const link = await createLink(project, { max_uses: 2 });
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => open(freshName(), startOf(link.telegram_link))),
    );
    expect(answers.filter((text) => /You are subscribed/.test(text))).toHaveLength(2);
    expect(answers.filter((text) => /not valid/.test(text))).toHaveLength(4);
  });

  test('end by their time and by deletion', async () => {
    const project = await service.createProject();
    const link = await createLink(project, { expires_at: new Date(Date.now() + 60_000).toISOString() });
    await service.pool.query('UPDATE subscribe_links SET expires_at = now() WHERE id = $1', [link.link_id]);
    expect(await open(freshName(), startOf(link.telegram_link))).toMatch(/not valid/);
    const other = await createLink(project);
    expect((await project.api('DELETE', `/v1/subscribe-links/${other.link_id}`)).status).toBe(204);
    expect((await project.api('DELETE', `/v1/subscribe-links/${other.link_id}`)).status).toBe(404);
    expect(await open(freshName(), startOf(other.max_link), 'max')).toMatch(/not valid/);
  });

  test('are refused with a wrong body, and beyond the limit, also at once', async () => {
    const project = await service.createProject();
    const post = (body: object) => project.api('POST', '/v1/subscribe-links', body);
    expect((await post({ external_id: 'a', max_uses: 2 })).body.error).toMatch(/^max_uses: /);
    expect((await post({ expires_at: '2020-01-01T00:00:00Z' })).body.error).toMatch(/^expires_at: /);
    await service.pool.query(
      `INSERT INTO subscribe_links (id, project_id, token_hash, token_sealed, tags, permissions, created_at)
       SELECT gen_random_uuid(), $1, sha256((random()::text || n)::bytea), 'x', '{}', '{}', now()
       FROM generate_series(1, $2::int) AS n`,
      [project.id, limits.subscribeLinks - 2],
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => post({})));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409, 409]);
  });

  test('the same Idempotency-Key creates one link', async () => {
    const project = await service.createProject();
    const headers = { 'idempotency-key': randomUUID() };
    const first = await project.api('POST', '/v1/subscribe-links', { name: 'a' }, headers);
    const again = await project.api('POST', '/v1/subscribe-links', { name: 'a' }, headers);
    expect(again.body).toEqual(first.body);
  });

  test('a repeated request gets its link, although the link has expired by then', async () => {
    const project = await service.createProject();
    const headers = { 'idempotency-key': randomUUID() };
    const post = (expires_at: string, more = {}) =>
      project.api('POST', '/v1/subscribe-links', { expires_at }, more);
    const { given: expiresAt, response: first } = await barelyInTime(
      (leftMs) => new Date(Date.now() + leftMs).toISOString(),
      (expires_at) => post(expires_at, headers),
    );
    expect(first.status).toBe(201);
    await eventually(async () => (await post(expiresAt)).body.error === 'expires_at: must be in the future');
    const again = await post(expiresAt, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
  });
});

describe('tags and permissions', () => {
  test('are created, renamed on all subscribers and removed from them, without events', async () => {
    const project = await service.createProject();
    const person = await subscribePerson(service, project);
    const id = person.subscriberId;
    await project.api('PATCH', `/v1/subscribers/${id}`, { tags: ['came/with it'], permissions: ['news'] });
    expect((await project.api('POST', '/v1/tags', { name: 'vip' })).body).toMatchObject({
      name: 'vip',
      subscribers: 0,
    });
    expect((await project.api('POST', '/v1/tags', { name: 'vip' })).status).toBe(409);
    const list = await project.api('GET', '/v1/tags');
    const first = await project.api('GET', '/v1/tags?limit=1');
    const second = await project.api('GET', `/v1/tags?limit=100&cursor=${first.body.next_cursor}`);
    expect([...first.body.data, ...second.body.data]).toEqual(list.body.data);
    expect([first.body.data.length, second.body.next_cursor, list.body.next_cursor]).toEqual([1, null, null]);
    expect((await project.api('GET', '/v1/tags?cursor=no')).body.code).toBe('validation_failed');
    expect(list.body).toEqual({
      data: [
        { name: 'vip', subscribers: 0, created_at: expect.any(String) },
        { name: 'came/with it', subscribers: 1, created_at: expect.any(String) },
      ],
      next_cursor: null,
    });

    const path = `/v1/tags/${encodeURIComponent('came/with it')}`;
    expect((await project.api('PATCH', path, { name: 'vip' })).status).toBe(409);
    expect((await project.api('PATCH', path, { name: 'gold' })).body).toMatchObject({ subscribers: 1 });
    expect((await project.api('PATCH', path, { name: 'x' })).status).toBe(404);
    expect((await project.api('GET', `/v1/subscribers/${id}`)).body.tags).toEqual(['gold']);

    const before = (await eventsOf(service, project)).length;
    const changes = { title_en: 'News', title_ru: 'Новости', default: true };
    expect((await project.api('PATCH', '/v1/permissions/news', changes)).body).toMatchObject({
      name: 'news',
      subscribers: 1,
      ...changes,
    });
    expect((await project.api('PATCH', '/v1/permissions/news', { name: 'letters' })).body).toMatchObject({
      title_en: 'News',
      default: true,
    });
    expect((await project.api('GET', `/v1/subscribers/${id}`)).body.permissions).toEqual(['letters']);
    expect((await project.api('DELETE', '/v1/permissions/letters')).status).toBe(204);
    expect((await project.api('DELETE', '/v1/tags/gold')).status).toBe(204);
    expect((await project.api('GET', `/v1/subscribers/${id}`)).body).toMatchObject({
      tags: [],
      permissions: [],
    });
    expect(await eventsOf(service, project)).toHaveLength(before);
  });

  test('a default permission is granted to new subscribers only', async () => {
    const project = await service.createProject();
    const early = await subscribePerson(service, project);
    await project.api('POST', '/v1/permissions', { name: 'news', default: true });
    const late = await subscribePerson(service, project);
    const permissionsOf = async (id: string) =>
      (await project.api('GET', `/v1/subscribers/${id}`)).body.permissions;
    expect(await permissionsOf(early.subscriberId)).toEqual([]);
    expect(await permissionsOf(late.subscriberId)).toEqual(['news']);
    const created = await eventsOf(service, project, 'subscription.created');
    expect(created.at(-1)).toMatchObject({ data: { permissions: ['news'] } });
  });

  test.each(['tags', 'permissions'])('the 21st of the %s is refused, also at once', async (kind) => {
    const project = await service.createProject();
    const post = (name: string) => project.api('POST', `/v1/${kind}`, { name });
    const answers = await Promise.all(Array.from({ length: 23 }, (_, n) => post(`label ${n}`)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
    // What the project has defined stays, although no subscriber has it.
    const { subscriberId } = await subscribePerson(service, project);
    const patched = await project.api('PATCH', `/v1/subscribers/${subscriberId}`, { [kind]: ['another'] });
    expect([patched.status, patched.body.code]).toEqual([409, 'conflict']);
  });

  test('the audit log names what was created as paths do, and the project by its id', async () => {
    const project = await service.createProject();
    await project.api('POST', '/v1/tags', { name: 'gold' });
    await project.api('POST', '/v1/permissions', { name: 'news' });
    await project.api('POST', '/v1/templates', { key: 'hi', variants: { en: { text: 'Hi' } } });
    await project.api('PATCH', '/v1/project', { name: 'Shop' });
    const { body } = await project.api('GET', '/v1/audit');
    const targets = body.data.map((entry: { action: string; target_id: string }) => [
      entry.action,
      entry.target_id,
    ]);
    expect(Object.fromEntries(targets)).toEqual({
      'tag.created': 'gold',
      'permission.created': 'news',
      'template.created': 'hi',
      'project.updated': project.id,
    });
  });

  test('the audit log calls things by their names, and shows settings before and after, without secrets and texts', async () => {
    const { api, id } = await service.createProject({ name: 'Shop' });
    const given = { url: 'https://a.example/hook?token=secret', description: 'secret' };
    const { body: endpoint } = await api('POST', '/v1/webhooks', given);
    await api('PUT', `/v1/webhooks/${endpoint.id}`, {
      url: 'https://b.example/secret',
      events: ['auth.completed'],
      description: 'secret, too',
    });
    await api('DELETE', `/v1/webhooks/${endpoint.id}`);
    await api('PATCH', '/v1/project', {
      name: 'Store',
      timezone: 'Asia/Kolkata',
      welcome_en: 'secret',
      brand: { color: '#aabbcc' },
    });
    await api('PATCH', '/v1/project', { name: 'Store' });
    const { body: key } = await api('POST', '/v1/keys', { name: 'Backend' });
    await api('DELETE', `/v1/keys/${key.id}`);

    const { body } = await api('GET', '/v1/audit');
    interface Entry {
      action: string;
      target_id: string;
      target_name: string;
      changes: unknown[];
    }
    const entries = (body.data as Entry[]).reverse();
    expect(entries.map(({ action, target_name }) => [action, target_name])).toEqual([
      ['webhook.created', 'a.example'],
      ['webhook.updated', 'b.example'],
      ['webhook.deleted', 'b.example'],
      ['project.updated', 'Store'],
      ['project.updated', 'Store'],
      ['key.created', 'Backend'],
      ['key.revoked', 'Backend'],
    ]);
    expect(entries[3]?.target_id).toBe(id);
    expect(entries.map(({ changes }) => changes)).toEqual([
      [],
      [
        { field: 'url', before: 'https://a.example', after: 'https://b.example' },
        { field: 'events', before: [], after: ['auth.completed'] },
      ],
      [],
      [
        { field: 'name', before: 'Shop', after: 'Store' },
        { field: 'timezone', before: 'UTC', after: 'Asia/Kolkata' },
        { field: 'color', before: null, after: '#aabbcc' },
      ],
      [],
      [],
      [],
    ]);
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  test('what a live link names is not renamed or removed', async () => {
    const project = await service.createProject();
    const link = await createLink(project, { name: 'Till', tags: ['vip'] });
    const rename = () => project.api('PATCH', '/v1/tags/vip', { name: 'gold' });
    expect((await rename()).body).toMatchObject({ code: 'conflict', error: expect.stringContaining('Till') });
    expect((await project.api('DELETE', '/v1/tags/vip')).status).toBe(409);
    await project.api('DELETE', `/v1/subscribe-links/${link.link_id}`);
    const { body: entry } = await project.api('POST', '/v1/scheduled', {
      content: { text: 'Hello' },
      audience: { tags_any: ['vip'] },
      scheduled_at: new Date(Date.now() + 3_600_000).toISOString(),
    });
    expect((await rename()).body.error).toContain('a scheduled message');
    await project.api('DELETE', `/v1/scheduled/${entry.scheduled_id}`);
    expect((await rename()).status).toBe(200);
  });
});

describe('the Mini App', () => {
  const subscribe = (body: object) => service.apiWith(null)('POST', '/mini/subscribe', body);

  /** A user who has started the bot opens the Mini App. */
  async function launch(user: string, start: string, channel: 'telegram' | 'max' = 'telegram') {
    await open(user, 'nothing', channel);
    const { init_data } = await service.control.miniApp(channel, user, start);
    return { channel, init_data };
  }

  test('shows the project with its titled permissions, and subscribes with the chosen ones', async () => {
    const project = await service.createProject({ name: 'Shop' });
    await project.api('POST', '/v1/permissions', { name: 'news', title_en: 'News', default: true });
    await project.api('POST', '/v1/permissions', { name: 'offers', title_ru: 'Скидки' });
    await project.api('POST', '/v1/permissions', { name: 'internal' });
    await project.api('POST', '/v1/permissions', { name: 'untitled', default: true });
    const start = `proj_${project.slug}`;
    expect((await service.apiWith(null)('GET', `/mini/project?start=${start}`)).body).toEqual({
      name: 'Shop',
      permissions: [
        { name: 'news', title_en: 'News', title_ru: null, default: true },
        { name: 'offers', title_en: null, title_ru: 'Скидки', default: false },
      ],
    });
    expect((await service.apiWith(null)('GET', '/mini/project?start=proj_nobody')).status).toBe(404);

    const user = freshName();
    expect((await subscribe(await launch(user, ''))).status).toBe(404);
    const launched = await launch(user, start);
    const unknown = await subscribe({ ...launched, permissions: ['internal'] });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'validation_failed']);
    const first = await subscribe({ ...launched, permissions: ['offers'] });
    expect([first.status, first.body]).toEqual([
      201,
      // The user could not choose a default without a title.
      { subscriber_id: expect.any(String), permissions: ['offers', 'untitled'] },
    ]);
    expect((await subscribe(launched)).body).toMatchObject({ code: 'already_subscribed' });
    expect((await subscribe({ ...launched, permissions: ['offers'] })).status).toBe(409);
    const more = await subscribe({ ...launched, permissions: ['news'] });
    expect(more.body).toMatchObject({ permissions: ['offers', 'untitled', 'news'] });
    expect(
      await eventsOf(service, project, 'subscription.created', 'subscription.permission_changed'),
    ).toMatchObject([
      { name: 'subscription.created', data: { permissions: ['offers', 'untitled'] } },
      {
        name: 'subscription.permission_changed',
        data: { permissions: ['offers', 'untitled', 'news'], previous: ['offers', 'untitled'] },
      },
    ]);
    const { messages } = await service.control.chat('telegram', user);
    expect(
      messages.filter(({ text }) => text.includes('You are subscribed to messages from Shop')),
    ).toHaveLength(2);
  });

  test('uses a link once, on MAX as well, and gives its labels', async () => {
    const project = await service.createProject();
    const link = await createLink(project, { tags: ['vip'], max_uses: 1 });
    const launched = await launch(freshName(), startOf(link.max_link), 'max');
    const other = await launch(freshName(), startOf(link.max_link), 'max');
    const answers = await Promise.all([subscribe(launched), subscribe(other)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
    const { body } = await project.api('GET', '/v1/subscribers');
    expect(body.data).toMatchObject([{ tags: ['vip'], channel: 'max' }]);
  });

  test('stores nothing if the messenger refuses the confirmation, and gives the use of the link back', async () => {
    const project = await service.createProject();
    const link = await createLink(project, { max_uses: 1 });
    // This user has never started the bot, so that it may not write to them.
    const { init_data } = await service.control.miniApp('telegram', freshName(), startOf(link.telegram_link));
    const refused = await subscribe({ channel: 'telegram', init_data });
    expect([refused.status, refused.body.code]).toEqual([409, 'conflict']);
    expect((await project.api('GET', '/v1/subscribers')).body.data).toEqual([]);
    expect((await project.api('GET', `/v1/subscribe-links/${link.link_id}`)).body.uses).toBe(0);
    expect(await eventsOf(service, project)).toEqual([]);
  });

  test('takes the use of a link together with the subscription, so that a crash between them costs none', async () => {
    const project = await service.createProject();
    const link = await createLink(project, { max_uses: 1 });
    const usesOf = async ({ link_id: id }: Link) =>
      (await service.pool.query('SELECT uses FROM subscribe_links WHERE id = $1', [id])).rows[0].uses;
    const lastText = async (user: string) => (await service.control.chat('telegram', user)).messages.at(-1)!;
    const confirmed = (user: string) =>
      eventually(async () => (await lastText(user)).text.includes('You are subscribed'));
    /** Subscribes; runs `meanwhile` after the confirmation, while a lock keeps the subscription from being stored. */
    async function subscribeBehind(
      lock: string,
      id: string,
      on: Link,
      meanwhile: (db: pg.PoolClient) => Promise<void>,
    ) {
      const user = freshName();
      const launched = await launch(user, startOf(on.telegram_link));
      const db = await service.pool.connect();
      try {
        await db.query('BEGIN');
        await db.query(lock, [id]);
        const answer = subscribe(launched);
        await confirmed(user);
        await meanwhile(db);
        await db.query('COMMIT');
        return { user, ...(await answer) };
      } finally {
        await db.query('ROLLBACK');
        db.release();
      }
    }
    const stored = await subscribeBehind(
      'SELECT id FROM projects WHERE id = $1 FOR UPDATE',
      project.id,
      link,
      async () => expect(await usesOf(link)).toBe(0),
    );
    expect([stored.status, await usesOf(link)]).toEqual([201, 1]);

    // Another user takes the last use in the same moment: the confirmation is taken back.
    const other = await createLink(project, { max_uses: 1 });
    const late = await subscribeBehind(
      'SELECT id FROM subscribe_links WHERE id = $1 FOR UPDATE',
      other.link_id,
      other,
      async (db) =>
        void (await db.query('UPDATE subscribe_links SET uses = 1 WHERE id = $1', [other.link_id])),
    );
    expect(late.status).toBe(404);
    expect((await lastText(late.user)).text).toMatch(/not valid/);
    expect((await project.api('GET', '/v1/subscribers')).body.data).toHaveLength(1);
  });

  test('trusts only what the messenger has signed for this bot within the hour', async () => {
    const project = await service.createProject();
    const { init_data } = await launch(freshName(), `proj_${project.slug}`);
    const sign = (fields: Record<string, string>, token: string = testBots.telegram.token) => {
      const text = Object.entries(fields)
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join('\n');
      const key = createHmac('sha256', 'WebAppData').update(token).digest();
      const hash = createHmac('sha256', key).update(text).digest('hex');
      return new URLSearchParams({ ...fields, hash }).toString();
    };
    const { hash, ...fields } = Object.fromEntries(new URLSearchParams(init_data)) as Record<string, string>;
    expect(hash).toBeDefined();
    const now = Math.floor(Date.now() / 1000);
    const wrong = {
      'another user': init_data.replace(/first_name/, 'last_name'),
      'another bot': sign(fields, '1:another'),
      'too old': sign({ ...fields, auth_date: String(now - limits.initDataMinutes * 60 - 5) }),
      'from the future': sign({ ...fields, auth_date: String(now + 3600) }),
      'no user': sign({ auth_date: String(now), start_param: `proj_${project.slug}` }),
      'a field twice': `${sign(fields)}&start_param=proj_other`,
      'no form at all': 'x',
      'an unknown project': sign({ ...fields, start_param: 'proj_unknown' }, '1:another'),
      'no project': sign({ auth_date: String(now), user: fields['user'] ?? '' }, '1:another'),
    };
    for (const [what, forged] of Object.entries(wrong)) {
      const { status, body } = await subscribe({ channel: 'telegram', init_data: forged });
      expect([what, status, body.code]).toEqual([what, 401, 'invalid_init_data']);
    }
    const onMax = await subscribe({ channel: 'max', init_data });
    expect(onMax.body.code).toBe('invalid_init_data');
    const elsewhere = await launch(freshName(), 'proj_unknown');
    expect((await subscribe(elsewhere)).status).toBe(404);
    expect(
      (await subscribe({ channel: 'telegram', init_data: sign({ ...fields, auth_date: String(now) }) }))
        .status,
    ).toBe(201);
  });

  test('is a page that only the messengers may frame', async () => {
    const page = await fetch(`${service.url}/mini`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors https://web.telegram.org');
  });
});
