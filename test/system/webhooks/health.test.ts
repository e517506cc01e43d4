import { createDeliveryActivities } from '../../../activities/deliver-webhook';
import { runRetention } from '../../../src/process/operations/retention';
import { createAttempter, type Attempter } from '../../../src/domains/webhooks/attempt';
import { createFastEndpoints } from '../../../src/domains/webhooks/fast-endpoints';
import { claimExpress, type ExpressClaim } from '../../../src/domains/webhooks/queries/claim';
import { LOST, recordAttempt, recordSuccesses } from '../../../src/domains/webhooks/queries/results';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  createEndpoint,
  emitExample,
  emitOne,
  scriptedReceiver,
  type CreatedEndpoint,
  type ScriptedReceiver,
} from './fixture';

/** Attempts are made and recorded here, one by one: what counts is what they leave in the counts. */
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
  receiver = await scriptedReceiver(200);
  endpoint = await createEndpoint(project, receiver.url);
});
afterEach(async () => {
  await receiver.close();
  await service.pool.query('DELETE FROM delivery_queue');
});

function attempt(deliveryId: string, number: number) {
  const { attemptDelivery } = createDeliveryActivities({
    ...service.service.core,
    config: { HERALD_RETRY_SCALE: 0.001 },
    attempter,
    fastEndpoints: createFastEndpoints(),
  });
  return attemptDelivery({ deliveryId, number });
}

async function attemptOnce(status: number): Promise<string> {
  receiver.behave(status);
  const id = await emitOne(service, project, endpoint.id);
  await attempt(id, 1);
  return id;
}

async function health() {
  const { body } = await project.api('GET', `/v1/webhooks/${endpoint.id}`);
  return body.health as Record<string, unknown>;
}

interface Bucket {
  at: string;
  succeeded: number;
  failed: number;
  p50_ms: number | null;
  p95_ms: number | null;
}

async function stats(hours = 24, id = endpoint.id): Promise<Bucket[]> {
  const { status, body } = await project.api('GET', `/v1/webhooks/${id}/stats?hours=${hours}`);
  expect(status).toBe(200);
  return body.buckets as Bucket[];
}

const totals = (buckets: Bucket[]) => ({
  succeeded: buckets.reduce((sum, { succeeded }) => sum + succeeded, 0),
  failed: buckets.reduce((sum, { failed }) => sum + failed, 0),
});

/** The same, from the log. */
async function logged(id = endpoint.id) {
  const { rows } = await service.pool.query<{ succeeded: number; failed: number }>(
    `SELECT count(*) FILTER (WHERE a.http_status BETWEEN 200 AND 299) AS succeeded,
       count(*) FILTER (WHERE a.http_status IS NULL OR a.http_status NOT BETWEEN 200 AND 299) AS failed
     FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
     WHERE d.endpoint_id = $1 AND a.finished_at IS NOT NULL`,
    [id],
  );
  return rows[0];
}

const success = ({ id, endpoint_id }: ExpressClaim) => ({
  id,
  endpoint_id,
  http_status: 200,
  duration_ms: 20,
  request_headers: null,
  response_body: 'ok',
  response_headers: {},
  refill: false,
});

const claim = (limit: number) => claimExpress(service.pool, { limit, defaultLane: 'express' });

describe('the health of an endpoint', () => {
  test('is idle, healthy, failing, healthy again, disabled', async () => {
    expect(await health()).toEqual({
      state: 'idle',
      failing_since: null,
      success_rate_24h: null,
      last_delivery_at: null,
    });
    await attemptOnce(200);
    expect(await health()).toEqual({
      state: 'healthy',
      failing_since: null,
      success_rate_24h: 1,
      last_delivery_at: expect.stringMatching(/\+00:00$/),
    });
    await attemptOnce(503);
    await attemptOnce(404);
    expect(await health()).toMatchObject({
      state: 'failing',
      failing_since: expect.stringMatching(/\+00:00$/),
      success_rate_24h: 0.3333,
    });
    await attemptOnce(200);
    expect(await health()).toMatchObject({ state: 'healthy', failing_since: null, success_rate_24h: 0.5 });
    await attemptOnce(410);
    expect(await health()).toMatchObject({ state: 'disabled', success_rate_24h: 0.4 });
    const { body } = await project.api('GET', '/v1/webhooks');
    expect(body.data[0].health).toEqual(await health());
  });

  test('is idle after it was enabled again or has a new URL, until an attempt ends', async () => {
    await attemptOnce(410);
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'active' });
    expect(await health()).toMatchObject({ state: 'idle', failing_since: null, success_rate_24h: 0 });
    await attemptOnce(503);
    expect(await health()).toMatchObject({ state: 'failing' });
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { url: `${receiver.url}/new` });
    expect(await health()).toMatchObject({ state: 'idle', failing_since: null, success_rate_24h: 0 });
    await attemptOnce(200);
    expect(await health()).toMatchObject({ state: 'healthy' });
  });

  test('has the end of the last attempt, successful or not', async () => {
    for (const status of [200, 503, 404, 200]) {
      const deliveryId = await attemptOnce(status);
      const { rows } = await service.pool.query<{ finished_at: Date }>(
        'SELECT finished_at FROM attempts WHERE delivery_id = $1',
        [deliveryId],
      );
      const shown = Date.parse(String((await health()).last_delivery_at));
      expect(shown).toBe(rows[0]!.finished_at.getTime());
    }
  });

  test('forgets what is more than a day old', async () => {
    await attemptOnce(200);
    await service.pool.query(
      `UPDATE endpoint_hours SET hour = hour - interval '24 hours' WHERE endpoint_id = $1`,
      [endpoint.id],
    );
    expect(await health()).toMatchObject({ state: 'idle', success_rate_24h: null });
    expect(totals(await stats(24))).toEqual({ succeeded: 0, failed: 0 });
    expect(totals(await stats(168))).toEqual({ succeeded: 1, failed: 0 });
  });
});

describe('stats', () => {
  test('have one bucket for each hour, oldest first, with the latencies of its attempts', async () => {
    receiver.behave((res) => void setTimeout(() => res.end(), 60));
    await attempt(await emitOne(service, project, endpoint.id), 1);
    await attemptOnce(503);
    for (const hours of [24, 168]) {
      const buckets = await stats(hours);
      expect(buckets).toHaveLength(hours);
      const times = buckets.map(({ at }) => Date.parse(at));
      expect(times.every((time, index) => index === 0 || time - times[index - 1]! === 3_600_000)).toBe(true);
      expect(Date.now() - times.at(-1)!).toBeLessThan(2 * 3_600_000);
      expect(buckets[0]).toMatchObject({ succeeded: 0, failed: 0, p50_ms: null, p95_ms: null });
      expect(totals(buckets)).toEqual({ succeeded: 1, failed: 1 });
    }
    const slowest = Math.max(...(await stats()).map(({ p95_ms }) => p95_ms ?? 0));
    expect(slowest).toBeGreaterThanOrEqual(50);
  });

  test('take 24 or 168 hours, of the project’s own endpoint', async () => {
    for (const query of ['?hours=25', '?hours=0', '?hours=x', '?days=1']) {
      const { status, body } = await project.api('GET', `/v1/webhooks/${endpoint.id}/stats${query}`);
      expect([query, status, body.code]).toEqual([query, 400, 'validation_failed']);
    }
    expect((await project.api('GET', `/v1/webhooks/${endpoint.id}/stats`)).body.buckets).toHaveLength(24);
    const stranger = await service.createProject();
    expect((await stranger.api('GET', `/v1/webhooks/${endpoint.id}/stats`)).status).toBe(404);
  });

  test('are removed after eight days, but for the newest hour, which has the last delivery', async () => {
    await attemptOnce(200);
    const { last_delivery_at } = await health();
    const age = (days: number) =>
      service.pool.query(
        `UPDATE endpoint_hours SET hour = date_trunc('hour', now()) - make_interval(days => $2) WHERE endpoint_id = $1`,
        [endpoint.id, days],
      );
    const kept = async () =>
      (await service.pool.query('SELECT 1 FROM endpoint_hours WHERE endpoint_id = $1', [endpoint.id]))
        .rowCount;
    await age(9);
    await runRetention(service.service.core);
    expect(await kept()).toBe(1);
    expect(await health()).toMatchObject({ state: 'idle', success_rate_24h: null, last_delivery_at });
    expect(totals(await stats(168))).toEqual({ succeeded: 0, failed: 0 });

    await age(7);
    await attemptOnce(200);
    await runRetention(service.service.core);
    expect(await kept()).toBe(2);
    await service.pool.query(
      `UPDATE endpoint_hours SET hour = hour - interval '9 days' WHERE endpoint_id = $1`,
      [endpoint.id],
    );
    await runRetention(service.service.core);
    expect(await kept()).toBe(1);
    await project.api('DELETE', `/v1/webhooks/${endpoint.id}`);
    await runRetention(service.service.core);
    expect(await kept()).toBe(0);
  });
});

describe('every result is counted once', () => {
  test('when an attempt is asked for again, and when two processes record it', async () => {
    const id = await attemptOnce(503);
    await attempt(id, 1);
    const outcome = {
      result: {
        status: 200,
        error: null,
        errorDetail: null,
        durationMs: 1,
        requestHeaders: null,
        responseBody: null,
        responseHeaders: {},
      },
      verdict: 'success',
      next: null,
    } as const;
    const late = await recordAttempt(
      service.pool,
      { deliveryId: id, number: 1, endpointVersion: 1 },
      outcome,
    );
    expect(late).toBeNull();
    expect(totals(await stats())).toEqual({ succeeded: 0, failed: 1 });
  });

  test('when batches overlap, over several endpoints', async () => {
    const other = await createEndpoint(project, `${receiver.url}/other`);
    for (let i = 0; i < 15; i += 1) await emitExample(service, project);
    const claims = await claim(30);
    expect(claims).toHaveLength(30);
    const successes = claims.map(success);
    await Promise.all([
      recordSuccesses(service.pool, successes.slice(0, 20), { defaultLane: 'express' }),
      recordSuccesses(service.pool, successes.slice(10).reverse(), { defaultLane: 'express' }),
      recordSuccesses(service.pool, successes, { defaultLane: 'express' }),
    ]);
    for (const id of [endpoint.id, other.id]) {
      expect(totals(await stats(24, id))).toEqual({ succeeded: 15, failed: 0 });
      expect(totals(await stats(24, id))).toEqual(await logged(id));
    }
  });

  test('not at all when the transaction is rolled back', async () => {
    await emitExample(service, project);
    const [claimed] = await claim(1);
    const broken = { ...success(claimed!), http_status: Number.MAX_SAFE_INTEGER };
    await expect(recordSuccesses(service.pool, [broken], { defaultLane: 'express' })).rejects.toThrow();
    expect(totals(await stats())).toEqual({ succeeded: 0, failed: 0 });
  });

  test('an attempt whose process died is a failure, until its late 2xx arrives', async () => {
    await emitExample(service, project);
    const [claimed] = await claim(1);
    const lost = {
      result: {
        status: null,
        error: LOST,
        errorDetail: null,
        durationMs: 0,
        requestHeaders: null,
        responseBody: null,
        responseHeaders: {},
      },
      verdict: 'retry',
      next: Date.now() + 60_000,
    } as const;
    await recordAttempt(service.pool, { deliveryId: claimed!.id, number: 1, endpointVersion: -1 }, lost, {
      isExpress: true,
    });
    expect(totals(await stats())).toEqual({ succeeded: 0, failed: 1 });
    expect((await stats()).every(({ p50_ms }) => p50_ms === null)).toBe(true);
    await recordSuccesses(service.pool, [success(claimed!)], { defaultLane: 'express' });
    expect(totals(await stats())).toEqual({ succeeded: 1, failed: 0 });
    expect(await logged()).toEqual({ succeeded: 1, failed: 0 });
    await recordSuccesses(service.pool, [success(claimed!)], { defaultLane: 'express' });
    expect(totals(await stats())).toEqual({ succeeded: 1, failed: 0 });
  });
});
