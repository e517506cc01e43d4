import { updateProject } from '../../../src/domains/projects/queries/projects';
import { eventRegistry } from '../../../src/domains/events/contract';
import type { Installation, TestProject } from '../../support/installation';
import { eventually } from '../../support/eventually';
import { useService } from '../../support/use-service';
import { expectError } from '../http/fixture';
import { freshName } from '../messages/fixture';
import { createEndpoint } from '../webhooks/fixture';

let service: Installation;

beforeAll(async () => {
  service = await useService();
});
afterAll(() => service.stop());

const seen = (external_id = freshName('unknown')) => ({ name: 'seen', external_id });
const many = (count: number) => ({ events: Array.from({ length: count }, () => seen()) });

async function publisherOf(project: TestProject) {
  return service.apiWith(await service.createKey(project.id, ['publish']));
}
const ticket = { event: 'ticket.created', data: eventRegistry['ticket.created'].example };

test('published and tracked events of a project are counted together, by events and not by requests', async () => {
  const project = await service.createProject({ events_per_minute: 10 });
  const neighbour = await service.createProject({ events_per_minute: 10 });
  const publisher = await publisherOf(project);
  expect((await project.api('POST', '/v1/events', many(6))).status).toBe(202);
  expect((await publisher('POST', '/v1/publish', { events: [ticket, ticket, ticket] })).status).toBe(202);
  // One is left: two are refused, none of them is written, and what follows in the same minute is refused too.
  const refused = await project.api('POST', '/v1/events', many(2));
  expectError(refused, 'rate_limit_events');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  expect(Number(refused.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(0);
  expectError(await publisher('POST', '/v1/publish', { events: [ticket] }), 'rate_limit_events');
  expect((await neighbour.api('POST', '/v1/events', many(10))).status).toBe(202);
  // What Herald emits itself is not counted.
  expect(await service.emitExample(project.id, 'auth.completed')).toBeTruthy();
});

test('a refused request can be repeated under its Idempotency-Key, and a repeated one is not counted', async () => {
  const project = await service.createProject({ events_per_minute: 3 });
  const body = many(2);
  const send = (key: string, given: object) =>
    project.api('POST', '/v1/events', given, { 'idempotency-key': key });
  expect((await send('first-key', body)).status).toBe(202);
  expect((await send('first-key', body)).status).toBe(202);
  const other = many(2);
  expectError(await send('second-key', other), 'rate_limit_events');
  await updateProject(service.pool, project.id, { events_per_minute: 1_000 });
  await eventually(async () => (await send('second-key', other)).status === 202);
});

test('with too many deliveries waiting for their first attempt, nothing can be published or tracked', async () => {
  const project = await service.createProject({ queued_deliveries: 3 });
  const publisher = await publisherOf(project);
  const { id } = await createEndpoint(project, 'https://example.com/hook');
  // Nothing is attempted.
  await service.pool.query('UPDATE endpoints SET concurrency = 0 WHERE id = $1', [id]);
  expect((await publisher('POST', '/v1/publish', { events: [ticket, ticket, ticket] })).status).toBe(202);
  // Three are allowed, more are not. What Herald emits itself is never refused.
  await service.emitExample(project.id, 'auth.completed');
  const refused = await publisher('POST', '/v1/publish', { events: [ticket] });
  expectError(refused, 'rate_limit_queue');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expectError(await project.api('POST', '/v1/events', many(1)), 'rate_limit_queue');
  expect(await service.emitExample(project.id, 'auth.completed')).toBeTruthy();
  // Those of a disabled endpoint do not count.
  expect((await project.api('PUT', `/v1/webhooks/${id}`, { status: 'disabled' })).status).toBe(200);
  await eventually(async () => (await publisher('POST', '/v1/publish', { events: [ticket] })).status === 202);
});

test('the events of one request can name a thousand subscribers together', async () => {
  const project = await service.createProject();
  const externalIds = Array.from({ length: 11 }, () => freshName('family'));
  await service.pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, external_id, first_name, lang)
     SELECT $1, 'telegram', given || '-' || n, given || '-' || n, given, 'Anna', 'en'
     FROM unnest($2::text[]) AS given, generate_series(1, 100) n`,
    [project.id, externalIds],
  );
  const track = (ids: string[]) => project.api('POST', '/v1/events', { events: ids.map(seen) });
  const refused = await track(externalIds);
  expectError(refused, 'validation_failed');
  expect(refused.body.error).toContain('up to 1000 subscribers');
  expect((await track(externalIds.slice(1))).status).toBe(202);
  const { rows } = await service.pool.query(
    'SELECT count(*)::int AS n FROM tracked_events WHERE project_id = $1',
    [project.id],
  );
  expect(rows).toEqual([{ n: 1_000 }]);
});
