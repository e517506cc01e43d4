import { randomUUID } from 'node:crypto';
import { eventNames, eventRegistry, isPublished, type EventName } from '../../../src/domains/events/contract';
import { createPublish } from '../../../src/domains/events/publish';
import { newApiKey } from '../../../src/base/lib/tokens';
import { insertApiKey } from '../../../src/domains/projects/queries/keys';
import { eventually } from '../../support/eventually';
import type { Api } from '../../support/api';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createEndpoint, scriptedReceiver, type ScriptedReceiver } from '../webhooks/fixture';

let service: TestService;
let project: TestProject;
let receiver: ScriptedReceiver;
let publisher: Api;

beforeAll(async () => {
  // Its own: it calls the domain, too.
  service = await startTestService({ lane: 'express', queues: [] });
});
afterAll(() => service.stop());
beforeEach(async () => {
  project = await service.createProject();
  publisher = await publisherOf(project);
  receiver = await scriptedReceiver(200);
});
afterEach(() => receiver.close());

async function publisherOf({ id }: TestProject): Promise<Api> {
  const { key, hash, hint } = newApiKey();
  await insertApiKey(service.pool, { project_id: id, hash, hint, scopes: ['publish'] });
  return service.apiWith(key);
}

const ticket = (more: Record<string, unknown> = {}) => ({
  ...eventRegistry['ticket.created'].example,
  ...more,
});
const created = (event_id?: string) => ({
  event: 'ticket.created',
  data: ticket(),
  ...(event_id === undefined ? {} : { event_id }),
});
const publish = (events: unknown[], api: Api = publisher) => api('POST', '/v1/publish', { events });

async function count(table: string): Promise<number> {
  const { rows } = await service.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${table} WHERE project_id = $1`,
    [project.id],
  );
  return rows[0]?.count ?? 0;
}

const bodies = () =>
  receiver.received.map(({ body }) => JSON.parse(String(body)) as { event: string; data: object });

test('a hundred events are one commit, a hundred deliveries for each matching endpoint, and arrive as given', async () => {
  await createEndpoint(project, receiver.url);
  await createEndpoint(project, receiver.url, { events: ['ticket.created'] });
  await createEndpoint(project, receiver.url, { events: ['form.submitted'] });
  const events = Array.from({ length: 100 }, (_, index) => ({
    event: 'ticket.created',
    data: ticket({ number: index + 1 }),
    event_id: `event ${index}`,
  }));
  const { status, body } = await publish(events);
  expect(status).toBe(202);
  expect(body).toEqual({
    data: events.map(({ event_id }) => ({ event_id, status: 'accepted', deliveries: 2 })),
  });
  await eventually(() => receiver.received.length >= 200);
  const { rows } = await service.pool.query(
    // Both times are those of the transaction; a delivery that was attempted has another xmin.
    `SELECT xmin::text AS commit, created_at::text FROM events WHERE project_id = $1
     UNION SELECT (SELECT min(xmin::text) FROM events WHERE project_id = $1), created_at::text FROM deliveries
       WHERE project_id = $1`,
    [project.id],
  );
  expect(rows).toHaveLength(1);
  const numbers = bodies().map(({ data }) => (data as { number: number }).number);
  expect(new Set(numbers).size).toBe(100);
  expect(bodies()[0]).toEqual({
    event: 'ticket.created',
    data: expect.objectContaining(ticket({ number: expect.any(Number) })),
  });
});

test('the body keeps the order of the fields that the publisher chose', async () => {
  await createEndpoint(project, receiver.url);
  const data = Object.fromEntries(Object.entries(ticket()).reverse());
  await publish([{ event: 'ticket.created', data }]);
  await eventually(() => receiver.received.length === 1);
  expect(String(receiver.received[0]?.body)).toBe(JSON.stringify({ event: 'ticket.created', data }));
});

test('one invalid entry refuses the whole request and names its field', async () => {
  const { ticket_id: _, ...without } = ticket();
  const refused = async (...events: unknown[]) => {
    const { status, body } = await publish(events);
    expect([status, body['code']]).toEqual([400, 'validation_failed']);
    return body['error'];
  };
  const good = Array.from({ length: 3 }, () => created());
  expect(await refused(...good, { event: 'ticket.created', data: without })).toBe(
    'events[3].data.ticket_id: is required',
  );
  expect(await refused(...good, { event: 'ticket.created', data: ticket({ extra: 1 }) })).toBe(
    'events[3].data.extra: is not a known field',
  );
  expect(await refused({ event: 'ticket.lost', data: {} })).toContain(
    'events[0].event: must be an event name',
  );
  expect(await refused(created(''))).toBe('events[0].event_id: must be 1 to 128 printable characters');
  expect(await refused(created('a'.repeat(129)))).toContain('events[0].event_id');
  expect(await refused(created('line\nbreak'))).toContain('events[0].event_id');
  expect(await refused()).toContain('events: must not be empty');
  expect(await refused(...Array.from({ length: 101 }, () => created()))).toContain(
    'events: can have up to 100',
  );
  expect(await count('events')).toBe(0);
});

test('what Herald emits itself cannot be published, with any key', async () => {
  const forbidden = eventNames.filter((name) => !isPublished(name));
  expect(forbidden).toContain('auth.completed');
  expect(eventNames.filter(isPublished)).toEqual(
    eventNames.filter((name) => name.startsWith('ticket.') || name === 'form.submitted'),
  );
  for (const name of forbidden) {
    const event = { event: name, data: eventRegistry[name as EventName].example };
    const { status, body } = await publish([created(), event]);
    expect([name, status, body['code']]).toEqual([name, 403, 'forbidden']);
  }
  expect(await count('events')).toBe(0);
});

test('publishing needs the scope, and a key with only this scope can do nothing else', async () => {
  const { status, body } = await publish([created()], project.api);
  expect([status, body['code'], body['error']]).toEqual([
    403,
    'forbidden',
    'The API key needs the scope "publish".',
  ]);
  for (const [method, path] of [
    ['GET', '/v1/subscribers'],
    ['GET', '/v1/keys'],
    ['POST', '/v1/keys'],
    ['POST', '/v1/auth/session'],
    ['POST', '/v1/webhooks'],
    ['POST', '/v1/send'],
  ] as const) {
    expect([path, (await publisher(method, path, method === 'POST' ? {} : undefined)).status]).toEqual([
      path,
      403,
    ]);
  }
});

test('the same event_id is a duplicate, within a request and later, in this project only', async () => {
  await createEndpoint(project, receiver.url);
  const status = async (events: unknown[], api?: Api) =>
    ((await publish(events, api)).body as { data: { status: string; deliveries: number }[] }).data.map(
      (result) => `${result.status} ${result.deliveries}`,
    );
  expect(await status([created('one'), created('one'), created()])).toEqual([
    'accepted 1',
    'duplicate 0',
    'accepted 1',
  ]);
  expect(await status([created('one')])).toEqual(['duplicate 0']);
  expect(await status([created('one')], await publisherOf(await service.createProject()))).toEqual([
    'accepted 0',
  ]);
  await service.pool.query(
    "UPDATE published_ids SET created_at = now() - interval '31 days' WHERE project_id = $1",
    [project.id],
  );
  expect(await status([created('one')])).toEqual(['accepted 1']);
  expect(await status([created('one')])).toEqual(['duplicate 0']);
  expect(await count('events')).toBe(3);
});

test('an event_id has 1 to 128 printable characters of any language', async () => {
  const ids = ['a', 'a'.repeat(128), 'заказ № 7 — 完了 😀', 'ж'.repeat(128), '😀'.repeat(64)];
  const results = (status: string) => ids.map((event_id) => ({ event_id, status, deliveries: 0 }));
  const { status, body } = await publish(ids.map(created));
  expect([status, body['data']]).toEqual([202, results('accepted')]);
  expect((await publish(ids.map(created))).body['data']).toEqual(results('duplicate'));
  for (const id of ['a'.repeat(129), 'ж'.repeat(129), '😀'.repeat(65), '', 'tab\t', '\u200b', '\ud800']) {
    const refused = await publish([created(id)]);
    expect([id, refused.status, refused.body['code']]).toEqual([id, 400, 'validation_failed']);
  }
});

test('of entries with one event_id in a request, the first counts', async () => {
  await createEndpoint(project, receiver.url);
  const entry = (number: number) => ({
    event: 'ticket.created',
    data: ticket({ number }),
    event_id: 'repeated',
  });
  const { body } = await publish([entry(1), entry(2), entry(3)]);
  expect((body['data'] as { status: string }[]).map(({ status }) => status)).toEqual([
    'accepted',
    'duplicate',
    'duplicate',
  ]);
  const { rows } = await service.pool.query<{ body: string }>(
    'SELECT body FROM events WHERE project_id = $1',
    [project.id],
  );
  expect(rows.map((row) => JSON.parse(row.body) as object)).toEqual([
    { event: 'ticket.created', data: ticket({ number: 1 }) },
  ]);
});

test('a disabled endpoint counts: its delivery waits until it is active', async () => {
  const { id } = await createEndpoint(project, receiver.url);
  await project.api('PUT', `/v1/webhooks/${id}`, { status: 'disabled' });
  expect((await publish([created('parked')])).body).toEqual({
    data: [{ event_id: 'parked', status: 'accepted', deliveries: 1 }],
  });
  await eventually(async () => {
    const { body } = await project.api('GET', `/v1/deliveries?endpoint_id=${id}`);
    return body.data[0]?.status === 'paused';
  });
  expect(receiver.received).toHaveLength(0);
  await project.api('PUT', `/v1/webhooks/${id}`, { status: 'active' });
  await eventually(() => receiver.received.length === 1);
});

test('an event and its deliveries have ids of the time of the request', async () => {
  await createEndpoint(project, receiver.url);
  const before = Date.now();
  await publish([created(), created()]);
  const { rows } = await service.pool.query<{ event: string; delivery: string }>(
    'SELECT event_id AS event, id AS delivery FROM deliveries WHERE project_id = $1',
    [project.id],
  );
  expect(rows).toHaveLength(2);
  for (const { event, delivery } of rows) {
    const time = Number.parseInt(event.replace('-', '').slice(0, 12), 16);
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
    expect([event, delivery].map((id) => id[14])).toEqual(['7', '7']);
    expect(delivery.slice(0, 14)).toBe(event.slice(0, 14));
  }
});

test('requests at once with the same event_id: one in each project is accepted', async () => {
  await createEndpoint(project, receiver.url);
  const neighbour = await publisherOf(await service.createProject());
  const publishTen = async (api: Api) => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => publish([created('same')], api)));
    return responses.map(({ body }) => (body as { data: { status: string }[] }).data[0]?.status).sort();
  };
  const once = ['accepted', ...Array.from({ length: 9 }, () => 'duplicate')];
  expect(await Promise.all([publishTen(publisher), publishTen(neighbour)])).toEqual([once, once]);
  expect(await count('deliveries')).toBe(1);
});

test('an event of a project that is being removed does not take those of other requests with it', async () => {
  await createEndpoint(project, receiver.url);
  const publishNow = createPublish(service.pool);
  const [removed, kept] = await Promise.allSettled(
    [randomUUID(), project.id].map((id) =>
      publishNow(id, { events: [created() as never] }, { id: randomUUID(), resumed: false }),
    ),
  );
  expect(removed).toMatchObject({ value: [{ deliveries: 0 }] });
  expect(kept).toMatchObject({ value: [{ status: 'accepted', deliveries: 1 }] });
});

test('overlapping batches in opposite order do not deadlock, and each event is written once', async () => {
  await createEndpoint(project, receiver.url);
  for (let round = 0; round < 5; round += 1) {
    const events = Array.from({ length: 50 }, (_, index) => created(`${round}/${index}`));
    const reversed = [...events].reverse();
    const responses = await Promise.all([events, reversed, events, reversed].map((each) => publish(each)));
    expect(responses.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    const accepted = responses.flatMap(({ body }) =>
      (body as { data: { status: string }[] }).data.filter((result) => result.status === 'accepted'),
    );
    expect(accepted).toHaveLength(50);
  }
  expect(await count('events')).toBe(250);
  expect(await count('deliveries')).toBe(250);
});

test('an Idempotency-Key makes a repeated request one request', async () => {
  await createEndpoint(project, receiver.url);
  const key = { 'idempotency-key': 'publish-0001' };
  const request = { events: [created(), created()] };
  const first = await publisher('POST', '/v1/publish', request, key);
  const second = await publisher('POST', '/v1/publish', request, key);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  // As a crash after the commit and before the response was recorded leaves it.
  await service.pool.query(
    'UPDATE idempotency_keys SET response_sealed = NULL, leased_until = now() WHERE project_id = $1',
    [project.id],
  );
  const resumed = await publisher('POST', '/v1/publish', request, key);
  expect(resumed.body).toEqual({
    data: (first.body as { data: object[] }).data.map((result) => ({
      ...result,
      status: 'duplicate',
      deliveries: 0,
    })),
  });
  expect(await count('events')).toBe(2);
});

test('the catalogue says where each event comes from', async () => {
  const { body } = await project.api('GET', '/v1/event-types');
  const types = body.data as { name: string; source: string }[];
  expect(Object.keys(types[0] ?? {})).toEqual(['name', 'description', 'schema', 'example', 'source']);
  expect(types.filter(({ source }) => source === 'publisher').map(({ name }) => name)).toEqual(
    eventNames.filter(isPublished),
  );
  // With a helpdesk of its own, Herald alone emits the events of tickets.
  const own = await service.createProject();
  await own.api('PATCH', '/v1/helpdesk', { enabled: true });
  const listed = (await own.api('GET', '/v1/event-types')).body.data as typeof types;
  expect(listed.filter(({ source }) => source === 'publisher').map(({ name }) => name)).toEqual([
    'form.submitted',
  ]);
});
