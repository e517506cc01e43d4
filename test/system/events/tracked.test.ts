import { randomUUID } from 'node:crypto';
import { eventRegistry } from '../../../src/domains/events/contract';
import type { Rule } from '../../../src/domains/drip/rules/contract';
import { rulesHold } from '../../../src/domains/drip/rules/evaluate';
import { findFacts } from '../../../src/domains/drip/rules/queries';
import { registerDomains } from '../../../src/process/roles/domains';
import { subscriberChangeHooks, type SubscriberChangeHook } from '../../../src/domains/subscribers/on-change';
import { trackEvents } from '../../../src/domains/subscribers/tracked/track';
import { barelyInTime } from '../../support/barely-in-time';
import { eventually } from '../../support/eventually';
import type { Api } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { eventsOf, freshName } from '../messages/fixture';
import { createEndpoint, scriptedReceiver } from '../webhooks/fixture';

let service: TestService;
let project: TestProject;

beforeAll(async () => {
  // Its own: it calls the domain, too.
  service = await startTestService({ lane: 'express', queues: [] });
});
afterAll(() => service.stop());
beforeEach(async () => {
  project = await service.createProject();
});

async function addSubscriber(externalId: string | null = null, to: TestProject = project): Promise<string> {
  const { rows } = await service.pool.query<{ id: string }>(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, external_id, first_name, lang)
     VALUES ($1, 'telegram', $2, $2, $3, 'Anna', 'en') RETURNING id`,
    [to.id, freshName(), externalId],
  );
  return rows[0]!.id;
}

interface Result {
  event_id: string;
  status: string;
}
const track = (events: unknown[], api: Api = project.api) =>
  api<{ data: Result[] }>('POST', '/v1/events', { events });
const statuses = async (events: unknown[], api?: Api) => {
  const { status, body } = await track(events, api);
  expect(status).toBe(202);
  return body.data.map((result) => result.status);
};
const tracked = async (query = '') => (await project.api('GET', `/v1/events${query}`)).body.data;

async function count(table: string): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE project_id = $1`,
    [project.id],
  );
  return rows[0]?.count ?? 0;
}

test('a hundred events are one commit with one time, and the response is in order', async () => {
  const subscriber = await addSubscriber();
  const receiver = await scriptedReceiver(200);
  await createEndpoint(project, receiver.url, { events: ['event.tracked'] });
  const events = Array.from({ length: 100 }, (_, index) => ({
    name: 'visit',
    subscriber_id: subscriber,
    properties: { page: index },
    event_id: `visit ${index}`,
  }));
  const { status, body } = await track(events);
  expect(status).toBe(202);
  expect(body).toEqual({ data: events.map(({ event_id }) => ({ event_id, status: 'accepted' })) });
  const { rows } = await service.pool.query(
    `SELECT DISTINCT xmin::text, received_at FROM tracked_events WHERE project_id = $1
     UNION SELECT DISTINCT xmin::text, created_at FROM events WHERE project_id = $1`,
    [project.id],
  );
  expect(rows).toHaveLength(1);
  await eventually(() => receiver.received.length >= 100);
  const pages = receiver.received.map(({ body: text }) => {
    const sent = JSON.parse(String(text)) as { data: { properties: { page: number } } };
    return sent.data.properties.page;
  });
  expect(pages.sort((a, b) => a - b)).toEqual(events.map((_, index) => index));
  await receiver.close();
});

test('event.tracked tells who did what and when, once for each subscriber of an external_id', async () => {
  const ids = [await addSubscriber('user-1'), await addSubscriber('user-1')];
  await addSubscriber('user-2');
  const occurredAt = new Date(Date.now() - 3_600_000);
  const { body } = await track([
    {
      name: 'order.paid',
      external_id: 'user-1',
      properties: { amount: 12.5, gift: true, subscriber_id: 'a text of the project' },
      occurred_at: occurredAt.toISOString(),
    },
  ]);
  const [result] = body.data;
  expect(result?.status).toBe('accepted');
  const emitted = await eventsOf(service, project, 'event.tracked');
  expect(emitted.map(({ data }) => data['subscriber_id']).sort()).toEqual(ids.sort());
  const time = expect.stringMatching(/\+00:00$/);
  expect(emitted[0]?.data).toEqual({
    event_id: result?.event_id,
    name: 'order.paid',
    subscriber_id: expect.any(String),
    channel: 'telegram',
    external_id: 'user-1',
    properties: { amount: 12.5, gift: true, subscriber_id: 'a text of the project' },
    received_at: time,
    occurred_at: occurredAt.toISOString().replace('Z', '+00:00'),
  });
  const listed = await tracked();
  expect(listed).toHaveLength(2);
  expect(listed).toContainEqual(emitted[0]?.data);
});

test('an event without a time occurred when it was received', async () => {
  await track([{ name: 'visit', subscriber_id: await addSubscriber() }]);
  const [event] = await tracked();
  expect(event.occurred_at).toBe(event.received_at);
  expect(event.properties).toEqual({});
});

test('an unknown subscriber is a result, uses up no id and refuses nothing else', async () => {
  const subscriber = await addSubscriber();
  const other = await addSubscriber('theirs', await service.createProject());
  expect(
    await statuses([
      { name: 'visit', subscriber_id: other, event_id: 'one' },
      { name: 'visit', external_id: 'theirs', event_id: 'two' },
      { name: 'visit', subscriber_id: 'no id', event_id: 'three' },
      { name: 'visit', subscriber_id: randomUUID(), event_id: 'four' },
      { name: 'visit', subscriber_id: subscriber, event_id: 'one' },
    ]),
  ).toEqual([...Array.from({ length: 4 }, () => 'subscriber_not_found'), 'accepted']);
  expect(await statuses([{ name: 'visit', subscriber_id: subscriber, event_id: 'two' }])).toEqual([
    'accepted',
  ]);
});

test('the same event_id within 30 days is a duplicate and does nothing, whatever else the request says', async () => {
  const subscriber = await addSubscriber('user-1');
  const event = { name: 'visit', external_id: 'user-1', event_id: 'order 1 ✓' };
  expect(await statuses([event, { ...event, name: 'other' }, { ...event, event_id: 'order 2' }])).toEqual([
    'accepted',
    'duplicate',
    'accepted',
  ]);
  await addSubscriber('user-1');
  expect(await statuses([event])).toEqual(['duplicate']);
  expect(await statuses([{ ...event, external_id: undefined, subscriber_id: subscriber }])).toEqual([
    'duplicate',
  ]);
  const neighbour = await service.createProject();
  await addSubscriber('user-1', neighbour);
  expect(await statuses([event], neighbour.api)).toEqual(['accepted']);
  expect([await count('tracked_events'), await count('events')]).toEqual([2, 2]);
  await service.pool.query(
    "UPDATE published_ids SET created_at = now() - interval '31 days' WHERE project_id = $1",
    [project.id],
  );
  expect(await statuses([event])).toEqual(['accepted']);
  expect([await count('tracked_events'), await count('events')]).toEqual([4, 4]);
});

test('the id of a tracked event is not that of a published one', async () => {
  const publisher = service.apiWith(await service.createKey(project.id, ['publish']));
  const data = eventRegistry['ticket.created'].example;
  await publisher('POST', '/v1/publish', { events: [{ event: 'ticket.created', data, event_id: 'same' }] });
  expect(await statuses([{ name: 'visit', subscriber_id: await addSubscriber(), event_id: 'same' }])).toEqual(
    ['accepted'],
  );
});

test('requests at once with the same ids, in opposite order: each event is written once, and no request fails', async () => {
  await createEndpoint(project, 'http://127.0.0.1:9/', { events: ['event.tracked'] });
  const people = await Promise.all(Array.from({ length: 10 }, () => addSubscriber('shared')));
  for (let round = 0; round < 5; round += 1) {
    const events = Array.from({ length: 20 }, (_, index) => ({
      name: 'visit',
      event_id: `${round}/${index}`,
      ...(index % 2 === 0 ? { external_id: 'shared' } : { subscriber_id: people[index % 10] }),
    }));
    const reversed = [...events].reverse();
    const responses = await Promise.all([events, reversed, events, reversed].map((each) => statuses(each)));
    expect(responses.flat().filter((status) => status === 'accepted')).toHaveLength(20);
  }
  // Of each round: ten events for ten subscribers, and ten for one.
  expect(await count('tracked_events')).toBe(5 * 110);
  expect(await count('deliveries')).toBe(5 * 110);
});

test('every refusal names the field, and nothing of the request is stored', async () => {
  const good = { name: 'visit', subscriber_id: await addSubscriber() };
  const refusal = async (event: object, code = 'validation_failed') => {
    const { status, body } = await track([good, event]);
    expect([status, body['code' as never]]).toEqual([400, code]);
    return body['error' as never] as string;
  };
  expect(await refusal({ ...good, name: 'A b' })).toMatch(/^events\[1\]\.name: must be 1 to 64 characters/);
  expect(await refusal({ ...good, name: '' })).toContain('events[1].name');
  expect(await refusal({ name: 'visit' })).toBe('events[1].subscriber_id: is required, or external_id');
  expect(await refusal({ ...good, external_id: 'a' }, 'mutually_exclusive_identifiers')).toContain(
    'events[1]',
  );
  expect(await refusal({ name: 'visit', external_id: ' a' }, 'invalid_external_id')).toContain(
    'events[1].external_id',
  );
  const far = (ms: number) => refusal({ ...good, occurred_at: new Date(Date.now() + ms).toISOString() });
  const time = 'events[1].occurred_at: must be between 30 days ago and 5 minutes ahead';
  expect(await far(6 * 60_000)).toBe(time);
  expect(await far(-31 * 86_400_000)).toBe(time);
  expect(await refusal({ ...good, occurred_at: '2026-01-01' })).toContain('events[1].occurred_at');
  expect(await refusal({ ...good, event_id: '' })).toContain('events[1].event_id');
  expect(await refusal({ ...good, properties: { Bad: 1 } })).toContain('events[1].properties');
  expect(await refusal({ ...good, properties: { nested: {} } })).toContain('events[1].properties.nested');
  const many = Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`k${index}`, index]));
  expect(await refusal({ ...good, properties: many })).toBe('events[1].properties: can have up to 50 keys');
  expect(await refusal({ ...good, extra: 1 })).toBe('events[1].extra: is not a known field');
  expect((await track([])).status).toBe(400);
  expect((await track(Array.from({ length: 101 }, () => good))).status).toBe(400);
  expect(await count('tracked_events')).toBe(0);
});

test('a repeated request gets its response, although the time of its event is out of range by then', async () => {
  const subscriber_id = await addSubscriber();
  const headers = { 'idempotency-key': randomUUID() };
  const post = (occurred_at: string, more = {}) =>
    project.api('POST', '/v1/events', { events: [{ name: 'visit', subscriber_id, occurred_at }] }, more);
  const { given: occurredAt, response: first } = await barelyInTime(
    (leftMs) => new Date(Date.now() - 30 * 86_400_000 + leftMs).toISOString(),
    (occurred_at) => post(occurred_at, headers),
  );
  expect(first.status).toBe(202);
  await eventually(async () => (await post(occurredAt)).status === 400);
  const written = await count('tracked_events');
  const again = await post(occurredAt, headers);
  expect([again.status, again.body]).toEqual([202, first.body]);
  expect(again.headers.get('idempotent-replayed')).toBe('true');

  // As a process leaves it that dies between the commit and the response.
  await service.pool.query(
    `UPDATE idempotency_keys SET response_sealed = NULL, owner = gen_random_uuid(), leased_until = now() WHERE key = $1`,
    [headers['idempotency-key']],
  );
  expect((await post(occurredAt, headers)).status).toBe(202);
  expect(await count('tracked_events')).toBe(written);
});

test('the list is filtered by subscriber, name and time, page by page', async () => {
  const [one, two] = [await addSubscriber('user-1'), await addSubscriber()];
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  await track([
    { name: 'visit', subscriber_id: one, occurred_at: hoursAgo(48), event_id: 'old' },
    { name: 'visit', subscriber_id: one, event_id: 'new' },
    { name: 'order', subscriber_id: two, event_id: 'order' },
  ]);
  const ids = async (query: string) =>
    (await tracked(query)).map(({ event_id }: Result) => event_id).sort() as string[];
  expect(await ids('')).toEqual(['new', 'old', 'order']);
  expect(await ids(`?subscriber_id=${one}`)).toEqual(['new', 'old']);
  expect(await ids('?name=order')).toEqual(['order']);
  expect(await ids(`?name=visit&subscriber_id=${one}`)).toEqual(['new', 'old']);
  expect(await ids(`?name=visit&subscriber_id=${two}`)).toEqual([]);
  expect(await ids(`?since=${hoursAgo(24)}`)).toEqual(['new', 'order']);
  for (const since of [
    '0000-01-01T00:00:00Z',
    '2026-01-01T00:00:00%2B16:00',
    '0001-01-01T00:00:00%2B01:00',
  ]) {
    expect((await project.api('GET', `/v1/events?since=${since}`)).body.code).toBe('validation_failed');
  }
  expect(await ids(`?since=${hoursAgo(24)}&subscriber_id=${one}&name=visit`)).toEqual(['new']);
  expect((await project.api('GET', '/v1/events?subscriber_id=nonsense')).status).toBe(404);
  const first = (await project.api('GET', '/v1/events?limit=2')).body;
  const second = (await project.api('GET', `/v1/events?limit=2&cursor=${first.next_cursor}`)).body;
  expect(second.next_cursor).toBeNull();
  const all = [...first.data, ...second.data].map(({ event_id }: Result) => event_id);
  expect(all.sort()).toEqual(['new', 'old', 'order']);
  const neighbour = await service.createProject();
  expect((await neighbour.api('GET', `/v1/events?subscriber_id=${one}`)).status).toBe(404);
});

test('tracking needs the scope send, and reading the scope read', async () => {
  const body = { events: [{ name: 'visit', subscriber_id: await addSubscriber() }] };
  const reader = service.apiWith(await service.createKey(project.id, ['read']));
  const sender = service.apiWith(await service.createKey(project.id, ['send']));
  expect((await reader('POST', '/v1/events', body)).status).toBe(403);
  expect((await reader('GET', '/v1/events')).status).toBe(200);
  expect((await sender('POST', '/v1/events', body)).status).toBe(202);
  expect((await sender('GET', '/v1/events')).status).toBe(403);
});

test('a removed subscriber’s events are removed, and their names and values with them', async () => {
  const subscriber = await addSubscriber('user-1');
  await track([
    { name: 'visit', subscriber_id: subscriber, properties: { secret: 'word' }, event_id: 'id of user-1' },
  ]);
  const held = await project.api('GET', `/v1/subscribers/${subscriber}/data`);
  expect(held.body['tracked_events']).toEqual([
    expect.objectContaining({ event_id: 'id of user-1', name: 'visit', properties: { secret: 'word' } }),
  ]);
  await project.api('DELETE', `/v1/subscribers/${subscriber}`);
  expect(await tracked()).toEqual([]);
  const { rows } = await service.pool.query('SELECT id FROM published_ids WHERE project_id = $1', [
    project.id,
  ]);
  expect(JSON.stringify(rows)).not.toContain('user-1');
});

describe('what follows from an event', () => {
  const trackWith = (hook: SubscriberChangeHook, events: { name: string; subscriber_id: string }[]) => {
    subscriberChangeHooks.register(hook);
    const work = { id: randomUUID(), resumed: false };
    return trackEvents(service.service.core, project.id, { events }, work);
  };
  afterEach(() => registerDomains());

  test('is in its commit, with the accepted events only', async () => {
    const subscriber = await addSubscriber();
    const event = { name: 'visit', subscriber_id: subscriber, event_id: 'one' };
    const seen: string[][] = [];
    const hook: SubscriberChangeHook = async (db, projectId, causes) => {
      const { rows } = await db.query<{ count: number }>({
        text: 'SELECT count(*)::int AS count FROM tracked_events WHERE project_id = $1',
        values: [projectId],
      });
      seen.push([`${rows[0]?.count}`, ...causes.map((cause) => (cause.type === 'event' ? cause.name : ''))]);
    };
    await trackWith(hook, [event, event, { ...event, name: 'order', event_id: 'two' }]);
    await trackWith(hook, [event]);
    expect(seen).toEqual([['2', 'visit', 'order']]);
  });

  test('fails together with it, and the id can be used again', async () => {
    const event = { name: 'visit', subscriber_id: await addSubscriber(), event_id: 'one' };
    await expect(trackWith(() => Promise.reject(new Error('no enrolment')), [event])).rejects.toThrow(
      'no enrolment',
    );
    expect([await count('tracked_events'), await count('events')]).toEqual([0, 0]);
    registerDomains();
    expect(await statuses([event])).toEqual(['accepted']);
  });
});

test('rules know what a subscriber has, is and did', async () => {
  const subscriber = await addSubscriber();
  await service.pool.query(
    `UPDATE subscribers SET tags = '{vip}', permissions = '{news}', properties = '{"orders": 3}' WHERE id = $1`,
    [subscriber],
  );
  await track([
    { name: 'visit', subscriber_id: subscriber },
    { name: 'order', subscriber_id: subscriber, occurred_at: new Date(Date.now() - 7_200_000).toISOString() },
    { name: 'order', subscriber_id: await addSubscriber() },
  ]);
  const { rows } = await service.pool.query<{ at: string }>(
    'SELECT DISTINCT received_at::text AS at FROM tracked_events WHERE project_id = $1',
    [project.id],
  );
  const received = rows[0]!.at;
  const holds = async (since: string, ...rules: Rule[]) => {
    const facts = await findFacts(service.pool, subscriber, [{ rules }], since);
    return rules.map((rule) => rulesHold({ rules: [rule] }, facts!));
  };
  expect(
    await holds(
      received,
      { tag: 'vip' },
      { permission: 'news' },
      { property: 'orders', op: 'gt', value: 2 },
      { event: 'visit' },
      { event: 'visit', since_minutes: 1 },
      { event: 'order' },
      { event: 'order', since_minutes: 119 },
      { event: 'order', since_minutes: 121 },
      { event: 'other', happened: false },
    ),
  ).toEqual([true, true, true, true, true, true, false, true, true]);
  const { rows: later } = await service.pool.query<{ at: string }>(
    `SELECT ($1::timestamptz + interval '1 microsecond')::text AS at`,
    [received],
  );
  expect(await holds(later[0]!.at, { event: 'visit' }, { event: 'visit', since_minutes: 1 })).toEqual([
    false,
    true,
  ]);
  expect(await findFacts(service.pool, randomUUID(), [], received)).toBeNull();
});
