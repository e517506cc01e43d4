import { createDeliveryActivities } from '../../../activities/deliver-webhook';
import { announceEndpointChanges } from '../../../src/domains/webhooks/alerts';
import { createAttempter, type Attempter } from '../../../src/domains/webhooks/attempt';
import { createFastEndpoints } from '../../../src/domains/webhooks/fast-endpoints';
import { claimExpress } from '../../../src/domains/webhooks/queries/claim';
import { recordSuccesses } from '../../../src/domains/webhooks/queries/results';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  type CreatedEndpoint,
  type ScriptedReceiver,
} from './fixture';

/** Attempts are made here, one by one; the events that they cause are read from the outbox. */
let service: TestService;
let attempter: Attempter;
let project: TestProject;
let receiver: ScriptedReceiver;
let endpoint: CreatedEndpoint;

beforeAll(async () => {
  // Its own, with no worker: attempts are made and recorded by the test.
  service = await startTestService({ lane: 'express', roles: 'api' });
  attempter = createAttempter({ allowLocal: true });
});
afterAll(async () => {
  await attempter?.close();
  await service?.stop();
});
beforeEach(async () => {
  project = await service.createProject();
  receiver = await scriptedReceiver(503);
  endpoint = await createEndpoint(project, receiver.url);
});
afterEach(async () => {
  await receiver.close();
  await service.pool.query('DELETE FROM delivery_queue');
});

async function attempt(status: number): Promise<void> {
  receiver.behave(status);
  const deliveryId = await emitOne(service, project, endpoint.id, 'otp.sent');
  const { attemptDelivery } = createDeliveryActivities({
    ...service.service.core,
    config: { HERALD_RETRY_SCALE: 0.001 },
    attempter,
    fastEndpoints: createFastEndpoints(),
  });
  await attemptDelivery({ deliveryId, number: 1 });
}

async function minutesPass(minutes: number): Promise<void> {
  await service.pool.query(
    'UPDATE endpoints SET failing_since = failing_since - make_interval(mins => $2) WHERE id = $1',
    [endpoint.id, minutes],
  );
}

/** What several processes announce at once, and then again. */
async function announced(): Promise<string[]> {
  await Promise.all([1, 2, 3].map(() => announceEndpointChanges(service.pool)));
  await announceEndpointChanges(service.pool);
  const { rows } = await service.pool.query<{ name: string }>(
    `SELECT name FROM events WHERE project_id = $1 AND name LIKE 'endpoint.%' ORDER BY created_at, name`,
    [project.id],
  );
  return rows.map(({ name }) => name);
}

async function lastData() {
  const { rows } = await service.pool.query<{ body: string }>(
    `SELECT body FROM events WHERE project_id = $1 AND name LIKE 'endpoint.%' ORDER BY created_at DESC LIMIT 1`,
    [project.id],
  );
  return (JSON.parse(rows[0]!.body) as { data: Record<string, unknown> }).data;
}

const setStatus = (status: string) => project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status });

test('fifteen minutes without a success are announced once, and so is the success after them', async () => {
  await attempt(503);
  await minutesPass(14);
  await attempt(503);
  expect(await announced()).toEqual([]);
  await minutesPass(2);
  expect(await announced()).toEqual(['endpoint.failing']);
  expect(await lastData()).toEqual({
    endpoint_id: endpoint.id,
    url: receiver.url,
    failing_since: expect.stringMatching(/\+00:00$/),
    occurred_at: expect.stringMatching(/\+00:00$/),
  });
  await attempt(503);
  await minutesPass(60);
  expect(await announced()).toEqual(['endpoint.failing']);
  await attempt(200);
  expect(await announced()).toEqual(['endpoint.failing', 'endpoint.recovered']);
  expect(await lastData()).toEqual({
    endpoint_id: endpoint.id,
    url: receiver.url,
    occurred_at: expect.stringMatching(/\+00:00$/),
  });
  await attempt(200);
  await attempt(503);
  expect(await announced()).toEqual(['endpoint.failing', 'endpoint.recovered']);
  await minutesPass(16);
  expect(await announced()).toEqual(['endpoint.failing', 'endpoint.recovered', 'endpoint.failing']);
});

test('a success within fifteen minutes is no recovery', async () => {
  await attempt(503);
  await minutesPass(10);
  await attempt(200);
  expect(await announced()).toEqual([]);
});

test('an endpoint that Herald disables is announced with the reason; enabled, its first success is a recovery', async () => {
  await attempt(410);
  // The owner enables it before anybody has announced it.
  await setStatus('active');
  expect(await announced()).toEqual(['endpoint.disabled']);
  expect(await lastData()).toMatchObject({
    endpoint_id: endpoint.id,
    reason: 'gone',
  });
  await attempt(200);
  await attempt(200);
  expect(await announced()).toEqual(['endpoint.disabled', 'endpoint.recovered']);
});

test('a person who disables an endpoint is not told so', async () => {
  await setStatus('disabled');
  await setStatus('active');
  await attempt(200);
  expect(await announced()).toEqual([]);
});

test('a success that arrives after the endpoint was disabled is no recovery', async () => {
  const late = await emitOne(service, project, endpoint.id, 'otp.sent');
  const [claim] = await claimExpress(service.pool, { limit: 1, defaultLane: 'express' });
  expect(claim!.id).toBe(late);
  await attempt(410);
  const success = {
    id: late,
    endpoint_id: endpoint.id,
    http_status: 200,
    duration_ms: 1,
    request_headers: null,
    response_body: null,
    response_headers: {},
    refill: false,
  };
  await recordSuccesses(service.pool, [success], { defaultLane: 'express' });
  expect(await announced()).toEqual(['endpoint.disabled']);
});

test('a batch of the express lane ends an announced failure once', async () => {
  await attempt(503);
  await minutesPass(16);
  expect(await announced()).toEqual(['endpoint.failing']);
  await service.pool.query('DELETE FROM delivery_queue');
  for (let i = 0; i < 4; i += 1) await emitOne(service, project, endpoint.id, 'otp.sent');
  const claims = await claimExpress(service.pool, { limit: 4, defaultLane: 'express' });
  const successes = claims.map(({ id }) => ({
    id,
    endpoint_id: endpoint.id,
    http_status: 200,
    duration_ms: 1,
    request_headers: null,
    response_body: null,
    response_headers: {},
    refill: false,
  }));
  await Promise.all([
    recordSuccesses(service.pool, successes.slice(0, 2), { defaultLane: 'express' }),
    recordSuccesses(service.pool, successes.slice(2), { defaultLane: 'express' }),
  ]);
  expect(await announced()).toEqual(['endpoint.failing', 'endpoint.recovered']);
});

test('a worker announces by itself, to every endpoint that takes all events or asked for it', async () => {
  const watcher = await createEndpoint(project, `${receiver.url}/watch`, { events: ['endpoint.disabled'] });
  await createEndpoint(project, `${receiver.url}/other`, { events: ['otp.sent'] });
  await attempt(410);
  // The worker delivers while it is still starting.
  receiver.behave(200);
  const worker = await startTestService({
    database: service.database,
    queuePrefix: service.queuePrefix,
    simulator: service.simulator,
    roles: 'worker',
    queues: ['deliveries'],
    lane: 'express',
  });
  try {
    const arrived = await eventually(() =>
      receiver.received.find(
        ({ path, headers }) => path === '/hook/watch' && headers['x-service-event'] === 'endpoint.disabled',
      ),
    );
    expect(JSON.parse(arrived.body.toString())).toMatchObject({ data: { endpoint_id: endpoint.id } });
    const { body } = await project.api('GET', `/v1/deliveries?event=endpoint.disabled`);
    const targets = (body.data as { endpoint_id: string }[]).map(({ endpoint_id }) => endpoint_id).sort();
    expect(targets).toEqual([endpoint.id, watcher.id].sort());
  } finally {
    await worker.stop();
  }
});
