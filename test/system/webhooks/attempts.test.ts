import { startTestService, type TestProject, type TestService } from '../../support/service';
import { createDeliveryActivities } from '../../../activities/deliver-webhook';
import { createFastEndpoints } from '../../../src/domains/webhooks/fast-endpoints';
import { runRetention } from '../../../src/process/operations/retention';
import { createAttempter, type Attempter } from '../../../src/domains/webhooks/attempt';
import { restartDelivery } from '../../../src/domains/webhooks/queries/deliveries';
import { eventually } from '../../support/eventually';
import {
  createEndpoint,
  emitOne,
  readDelivery,
  scriptedReceiver,
  type CreatedEndpoint,
  type ScriptedReceiver,
} from './fixture';

/** The attempts are made here, one by one, without Temporal: what counts is what they leave in the database. */
let service: TestService;
let attempter: Attempter;
let project: TestProject;
let receiver: ScriptedReceiver;
let endpoint: CreatedEndpoint;

beforeAll(async () => {
  // Its own, with no worker: the test makes the attempts.
  service = await startTestService({ roles: 'api' });
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

afterEach(() => receiver.close());

function attempt(deliveryId: string, number: number) {
  const { attemptDelivery } = createDeliveryActivities({
    ...service.service.core,
    config: { HERALD_RETRY_SCALE: 0.001 },
    attempter,
    fastEndpoints: createFastEndpoints(),
  });
  return attemptDelivery({ deliveryId, number });
}

async function makeDue(deliveryId: string): Promise<void> {
  await service.pool.query('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [deliveryId]);
}

/** As if everything that happened to the endpoint had happened that much earlier. */
async function hoursPass(hours: number): Promise<void> {
  await service.pool.query(
    `UPDATE endpoints SET failing_since = failing_since - make_interval(hours => $2),
       disabled_at = disabled_at - make_interval(hours => $2) WHERE id = $1`,
    [endpoint.id, hours],
  );
}

async function endpointNow() {
  return (await project.api('GET', `/v1/webhooks/${endpoint.id}`)).body as Record<string, unknown>;
}

describe('an endpoint with nothing but failures', () => {
  test('for 120 hours is disabled, once, with the reason shown', async () => {
    const [first, second] = [
      await emitOne(service, project, endpoint.id),
      await emitOne(service, project, endpoint.id),
    ];
    await attempt(first, 1);
    await hoursPass(119);
    await attempt(second, 1);
    expect(await endpointNow()).toMatchObject({ status: 'active', disabled_reason: null });
    await hoursPass(2);
    await makeDue(first);
    await attempt(first, 2);
    expect(await endpointNow()).toMatchObject({
      status: 'disabled',
      disabled_reason: 'failing',
    });
    const { rows } = await service.pool.query('SELECT version FROM endpoints WHERE id = $1', [endpoint.id]);
    expect(rows).toEqual([{ version: 2 }]);
    expect((await readDelivery(project, second)).status).toBe('paused');
  });

  test('of one delivery alone is disabled too', async () => {
    const id = await emitOne(service, project, endpoint.id);
    await attempt(id, 1);
    await hoursPass(200);
    await makeDue(id);
    await attempt(id, 2);
    expect(await endpointNow()).toMatchObject({ status: 'disabled' });
  });

  test('starts counting anew after a success', async () => {
    const ids = [];
    for (let i = 0; i < 4; i += 1) ids.push(await emitOne(service, project, endpoint.id));
    await attempt(ids[0]!, 1);
    await attempt(ids[1]!, 1);
    await hoursPass(130);
    receiver.behave(200);
    await attempt(ids[2]!, 1);
    receiver.behave(503);
    await attempt(ids[3]!, 1);
    expect(await endpointNow()).toMatchObject({ status: 'active' });
  });

  test('is not disabled by an attempt that was made before it was changed', async () => {
    const [first, second] = [
      await emitOne(service, project, endpoint.id),
      await emitOne(service, project, endpoint.id),
    ];
    await attempt(first, 1);
    await hoursPass(130);
    receiver.behave((res) => {
      // The owner mends the endpoint while an attempt is under way.
      void project
        .api('PUT', `/v1/webhooks/${endpoint.id}`, { url: `${receiver.url}/mended` })
        .then(() => res.writeHead(410).end());
    });
    await attempt(second, 1);
    expect(await endpointNow()).toMatchObject({ status: 'active', url: `${receiver.url}/mended` });
  });
});

describe('an attempt', () => {
  test('that has its result is answered from the log: a repeated task sends and counts nothing', async () => {
    const id = await emitOne(service, project, endpoint.id);
    const first = await attempt(id, 1);
    const again = await attempt(id, 1);
    expect(again).toEqual(first);
    expect(receiver.of(id)).toHaveLength(1);
    expect((await readDelivery(project, id)).attempts).toHaveLength(1);
  });

  test('that was claimed and lost is made again under its own number', async () => {
    const id = await emitOne(service, project, endpoint.id);
    await attempt(id, 1);
    await service.pool.query('UPDATE attempts SET finished_at = NULL WHERE delivery_id = $1', [id]);
    await service.pool.query(`UPDATE deliveries SET underway = 'scheduled' WHERE id = $1`, [id]);
    // A workflow that starts from the row believes that attempt 2 is next.
    expect(await attempt(id, 2)).toEqual({ kind: 'superseded', next: 1 });
    receiver.behave(200);
    expect(await attempt(id, 1)).toMatchObject({ kind: 'attempted', status: 'succeeded' });
    expect((await readDelivery(project, id)).attempts).toHaveLength(1);
  });

  test('with a wrong number learns the right one, and sends nothing', async () => {
    const id = await emitOne(service, project, endpoint.id);
    expect(await attempt(id, 7)).toEqual({ kind: 'superseded', next: 1 });
    await attempt(id, 1);
    await makeDue(id);
    await attempt(id, 2);
    expect(await attempt(id, 1)).toEqual({ kind: 'superseded', next: 3 });
    expect(receiver.of(id)).toHaveLength(2);
  });

  /** A delivery whose first attempt has failed. */
  async function dueInAnHour(): Promise<string> {
    const id = await emitOne(service, project, endpoint.id);
    await attempt(id, 1);
    await service.pool.query(
      `UPDATE deliveries SET next_attempt_at = now() + interval '1 hour' WHERE id = $1`,
      [id],
    );
    return id;
  }

  test('before it is due waits', async () => {
    const id = await dueInAnHour();
    const step = await attempt(id, 2);
    expect(step).toMatchObject({ kind: 'early' });
    expect((step as { waitMs: number }).waitMs).toBeGreaterThan(3_500_000);
    expect(receiver.of(id)).toHaveLength(1);
  });

  test('before it is due, in a new workflow of its delivery, is overdue two minutes after its time', async () => {
    const id = await dueInAnHour();
    await restartDelivery(service.pool, id);
    expect(await attempt(id, 2)).toMatchObject({ kind: 'early' });
    const { rows } = await service.pool.query<{ seconds: number }>(
      `SELECT extract(epoch FROM u.overdue_at - d.next_attempt_at)::float8 AS seconds
       FROM undelivered u JOIN deliveries d ON d.id = u.delivery_id WHERE d.id = $1`,
      [id],
    );
    expect(rows).toEqual([{ seconds: 120 }]);
  });

  test('made twice concurrently is recorded once', async () => {
    const id = await emitOne(service, project, endpoint.id);
    const steps = await Promise.all([attempt(id, 1), attempt(id, 1)]);
    expect(steps[0]).toEqual(steps[1]);
    const { attempts } = await readDelivery(project, id);
    expect(attempts).toHaveLength(1);
  });

  test('that succeeds after a cancel in mid-air is shown as what it was', async () => {
    const id = await emitOne(service, project, endpoint.id);
    receiver.behave((res) => {
      void project.api('POST', `/v1/deliveries/${id}/cancel`).then(() => res.end());
    });
    expect(await attempt(id, 1)).toMatchObject({ status: 'succeeded' });
    expect((await readDelivery(project, id)).status).toBe('succeeded');
  });

  test('that fails after a cancel in mid-air leaves the delivery cancelled', async () => {
    const id = await emitOne(service, project, endpoint.id);
    receiver.behave((res) => {
      void project.api('POST', `/v1/deliveries/${id}/cancel`).then(() => res.writeHead(500).end());
    });
    expect(await attempt(id, 1)).toMatchObject({ status: 'cancelled', nextAttemptAt: null });
  });
});

describe('retention', () => {
  const deps = () => ({ ...service.service.core, config: { ...service.config, HERALD_RETENTION_DAYS: 30 } });

  test('cancels what has been paused for fourteen days', async () => {
    const id = await emitOne(service, project, endpoint.id);
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'disabled' });
    await hoursPass(15 * 24);
    // Paused for fifteen days by the endpoint, but the event is of today.
    await runRetention(deps());
    expect((await readDelivery(project, id)).status).toBe('paused');
    await service.pool.query(
      `UPDATE delivery_queue SET due_at = now() - interval '15 days' WHERE delivery_id = $1`,
      [id],
    );
    await runRetention(deps());
    expect(await readDelivery(project, id)).toMatchObject({
      status: 'cancelled',
      ended_reason: 'parked_too_long',
    });
  });

  test('removes events after thirty days, with everything of theirs, but nothing that is open', async () => {
    receiver.behave(200);
    const [done, open] = [
      await emitOne(service, project, endpoint.id),
      await emitOne(service, project, endpoint.id),
    ];
    await attempt(done, 1);
    await runRetention(deps());
    expect((await readDelivery(project, done)).status).toBe('succeeded');
    await service.pool.query(
      `UPDATE events SET created_at = now() - interval '31 days' WHERE project_id = $1`,
      [project.id],
    );
    await service.pool.query(
      `UPDATE deliveries SET ended_at = now() - interval '31 days' WHERE project_id = $1 AND status <> 'pending'`,
      [project.id],
    );
    await runRetention(deps());
    expect((await project.api('GET', `/v1/deliveries/${done}`)).status).toBe(404);
    expect((await readDelivery(project, open)).status).toBe('pending');
    const { rows } = await service.pool.query('SELECT 1 FROM attempts WHERE delivery_id = $1', [done]);
    expect(rows).toEqual([]);
  });

  test('forgets a deleted endpoint with the last of its log', async () => {
    await project.api('DELETE', `/v1/webhooks/${endpoint.id}`);
    const known = async () =>
      (await service.pool.query('SELECT 1 FROM endpoints WHERE id = $1', [endpoint.id])).rowCount;
    await runRetention(deps());
    // A transaction that began before the deletion may still add a delivery.
    expect(await known()).toBe(1);
    await service.pool.query(`UPDATE endpoints SET deleted_at = now() - interval '2 hours' WHERE id = $1`, [
      endpoint.id,
    ]);
    await runRetention(deps());
    expect(await known()).toBe(0);
  });
});

describe('an attempt inside a workflow task', () => {
  const activities = () => {
    const fastEndpoints = createFastEndpoints();
    const made = createDeliveryActivities({
      ...service.service.core,
      config: { HERALD_RETRY_SCALE: 0.001 },
      attempter,
      fastEndpoints,
    });
    return { ...made, fastEndpoints };
  };

  test('that Temporal asks for again is made once, under way or done', async () => {
    receiver.behave(200);
    const { attemptFast } = activities();
    const id = await emitOne(service, project, endpoint.id);
    const request = { deliveryId: id, number: 1 };
    const both = await Promise.all([attemptFast(request), attemptFast(request)]);
    const later = await attemptFast(request);
    expect([...both, later]).toMatchObject(
      Array.from({ length: 3 }, () => ({ kind: 'attempted', attempt: 1, status: 'succeeded' })),
    );
    expect(receiver.of(id)).toHaveLength(1);
  });

  test('finds a place while not too many are taken, and leaves it', async () => {
    receiver.behave(200);
    const { attemptFast, fastEndpoints } = activities();
    const taken = Array.from({ length: 20 }, () => fastEndpoints.acquireSlot());
    const request = { deliveryId: await emitOne(service, project, endpoint.id), number: 1 };
    expect(await attemptFast(request)).toBeNull();
    expect(receiver.of(request.deliveryId)).toHaveLength(0);
    taken[0]?.release();
    expect(await attemptFast(request)).toMatchObject({ status: 'succeeded' });
    // The first attempt on a busy machine may take too long to count as fast.
    await eventually(async () => {
      await attemptFast({ ...request, deliveryId: await emitOne(service, project, endpoint.id) });
      return fastEndpoints.isFast(endpoint.id);
    });
    expect(fastEndpoints.acquireSlot()).not.toBeNull();
  });
});
