import { randomUUID } from 'node:crypto';
import { runRetention } from '../../../src/process/operations/retention';
import { recoverEndpoint } from '../../../src/domains/webhooks/delivery-requests';
import { recoverDeliveries } from '../../../src/domains/webhooks/queries/deliveries';
import { deleteEndpoint } from '../../../src/domains/webhooks/queries/endpoints';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createEndpoint } from './fixture';

/** Requests about more deliveries than fit in one transaction. */
let service: TestService;
let project: TestProject;
let endpointId: string;

const COUNT = 2_100;

beforeAll(async () => {
  // Its own, with no worker: what a request has left stays as it is.
  service = await startTestService({ roles: 'api' });
});
afterAll(() => service?.stop());

beforeEach(async () => {
  project = await service.createProject();
  ({ id: endpointId } = await createEndpoint(project, 'http://127.0.0.1:9/hook'));
});

/** Deliveries whose first attempt has failed: they wait for the second one in an hour, or that was the last. */
function insertDeliveries(status: 'pending' | 'failed'): Promise<unknown> {
  return service.pool.query(
    `INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, status, failure, attempts,
       scheduled_attempts, started, created_at, ended_at, next_attempt_at)
     SELECT $1, $2, gen_random_uuid(), 'otp.sent', 'durable', $3, CASE WHEN failed THEN 'exhausted' END, 1, 1, true,
       now() - make_interval(secs => 3600 - n / 10), CASE WHEN failed THEN now() - make_interval(secs => 1800 - n / 10) END,
       CASE WHEN NOT failed THEN now() + interval '1 hour' END
     FROM generate_series(1, $4::int) AS n, (SELECT $3 = 'failed' AS failed) AS given`,
    [project.id, endpointId, status, COUNT],
  );
}

interface Deliveries {
  pending: number;
  cancelled: number;
  /** Attempts that were requested of one delivery, at most. */
  round: number;
  queued: number;
  /** Rows that one transaction has written last, at most. */
  largest: number;
}

async function deliveriesNow(): Promise<Deliveries> {
  const { rows } = await service.pool.query<Deliveries>(
    `WITH d AS (SELECT id, status, round, xmin::text AS tx FROM deliveries WHERE endpoint_id = $1)
     SELECT count(*) FILTER (WHERE status = 'pending') AS pending, count(*) FILTER (WHERE status = 'cancelled') AS cancelled,
       max(round) AS round, (SELECT count(*) FROM delivery_queue WHERE endpoint_id = $1) AS queued,
       (SELECT max(count) FROM (SELECT count(*) FROM d GROUP BY tx) each_tx) AS largest
     FROM d`,
    [endpointId],
  );
  return rows[0]!;
}

const anHourAgo = () => new Date(Date.now() - 3_600_000).toISOString();

test('recovering an endpoint queues every failed delivery, a thousand in a transaction', async () => {
  await insertDeliveries('failed');
  const { status, body } = await project.api('POST', `/v1/webhooks/${endpointId}/recover`, {
    since: anHourAgo(),
  });
  expect([status, body]).toEqual([202, { recovered: COUNT }]);
  expect(await deliveriesNow()).toMatchObject({ pending: COUNT, round: 1, queued: COUNT, largest: 1_000 });
});

test('a recovery that died between two batches goes on under its key, retries nothing twice, and returns all', async () => {
  await insertDeliveries('failed');
  const work = { id: randomUUID(), resumed: true };
  expect(await recoverDeliveries(service.pool, endpointId, anHourAgo(), work.id)).toEqual({
    found: 1_000,
    recovered: 1_000,
  });
  // Some of the first batch fail again, before the caller does.
  await service.pool.query(
    `UPDATE deliveries SET status = 'failed', failure = 'exhausted', ended_at = now(), served = round
     WHERE id IN (SELECT id FROM deliveries WHERE endpoint_id = $1 AND status = 'pending' LIMIT 10)`,
    [endpointId],
  );
  expect(await recoverEndpoint(service.pool, project.id, endpointId, anHourAgo(), work)).toBe(COUNT);
  expect(await deliveriesNow()).toMatchObject({ pending: COUNT - 10, round: 1 });
});

test('deleting an endpoint cancels its waiting deliveries, a thousand in a transaction', async () => {
  await insertDeliveries('pending');
  expect((await project.api('DELETE', `/v1/webhooks/${endpointId}`)).status).toBe(204);
  expect(await deliveriesNow()).toMatchObject({ pending: 0, cancelled: COUNT, largest: 1_000 });
});

test('what a deletion that died has left, retention cancels', async () => {
  await insertDeliveries('pending');
  await deleteEndpoint(service.pool, endpointId);
  await runRetention({
    ...service.service.core,
    config: { ...service.config, HERALD_RETENTION_DAYS: 30 },
  });
  expect(await deliveriesNow()).toMatchObject({ pending: 0, cancelled: COUNT });
});

test('enabling an endpoint requests one attempt of each paused delivery, a thousand in a transaction', async () => {
  await insertDeliveries('pending');
  const setStatus = (status: string) => project.api('PUT', `/v1/webhooks/${endpointId}`, { status });
  await setStatus('disabled');
  expect((await setStatus('active')).status).toBe(200);
  expect(await deliveriesNow()).toMatchObject({ pending: COUNT, round: 1, queued: COUNT, largest: 1_000 });
  const { rows } = await service.pool.query<{ in_order: boolean }>(
    `SELECT bool_and(before IS NULL OR before <= created_at) AS in_order FROM (
       SELECT d.created_at, lag(d.created_at) OVER (ORDER BY q.due_at) AS before
       FROM delivery_queue q JOIN deliveries d ON d.id = q.delivery_id WHERE q.endpoint_id = $1) queued`,
    [endpointId],
  );
  expect(rows[0]?.in_order).toBe(true);
});
