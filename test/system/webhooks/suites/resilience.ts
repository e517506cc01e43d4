import { eventually } from '../../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../../support/service';
import {
  createEndpoint,
  emitOne,
  readDelivery,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type CreatedEndpoint,
  type ScriptedReceiver,
} from '../fixture';
import type { RunningLane } from './lane';

/** What a delivery survives: no worker, a relay or a workflow that is lost, a database that goes away. */
export function resilience(lane: RunningLane): void {
  let service: TestService;
  let project: TestProject;
  let receiver: ScriptedReceiver;
  let endpoint: CreatedEndpoint;

  beforeAll(() => {
    ({ service } = lane);
  });

  beforeEach(async () => {
    project = await service.createProject();
    receiver = await scriptedReceiver(503);
    endpoint = await createEndpoint(project, receiver.url);
  });

  afterEach(() => receiver.close());

  test('events committed while no worker runs are delivered once each when a worker starts', async () => {
    const api = await startTestService({
      lane: lane.name,
      roles: 'api',
      simulator: service.simulator,
    });
    let worker: TestService | undefined;
    try {
      const own = await api.createProject();
      receiver.behave(200);
      const target = await createEndpoint(own, receiver.url);
      const ids = [];
      for (let i = 0; i < 10; i += 1) ids.push(await emitOne(api, own, target.id));
      expect(receiver.received).toEqual([]);
      const { status } = await own.api('POST', `/v1/deliveries/${ids[0]}/retry`);
      expect(status).toBe(202);

      worker = await startTestService({
        lane: lane.name,
        roles: 'worker',
        queues: ['deliveries'],
        simulator: service.simulator,
        database: api.database,
        queuePrefix: api.queuePrefix,
      });
      for (const id of ids) await untilStatus(own, id, 'succeeded');
      expect(receiver.received.map((request) => request.headers['x-service-delivery-id']).sort()).toEqual(
        ids.sort(),
      );
    } finally {
      await worker?.stop();
      await api.stop();
    }
  });

  test('a start that is repeated after a crash of the relay sends nothing more', async () => {
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    await untilWorkflow(service, id, 'RUNNING');
    // As a relay leaves it that dies between its claim and its start.
    const claimedByDeadRelay = (needsSlot: boolean) =>
      service.pool.query(
        `INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, is_first, needs_slot, holder, claimed_at, lease_until)
         SELECT id, endpoint_id, project_id, false, $2, 'relay', now(), now() FROM deliveries WHERE id = $1`,
        [id, needsSlot],
      );
    await eventually(() => isQuiet(id));
    await claimedByDeadRelay(true);
    await eventually(() => isQuiet(id));
    expect(receiver.of(id)).toHaveLength(1);

    receiver.behave(404);
    await project.api('POST', `/v1/deliveries/${id}/retry`);
    await untilWorkflow(service, id, 'FAILED');
    await eventually(() => isQuiet(id));
    await claimedByDeadRelay(false);
    await eventually(() => isQuiet(id));
    await untilWorkflow(service, id, 'FAILED');
    expect((await readDelivery(project, id)).status).toBe('failed');
    expect(receiver.of(id)).toHaveLength(2);
  });

  test('a delivery whose workflow was lost continues from its row', async () => {
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    await untilWorkflow(service, id, 'RUNNING');
    await workflowOf(service, id).terminate('lost');
    receiver.behave(200);
    await service.pool.query(
      'UPDATE deliveries SET next_attempt_at = now(), overdue_at = now() WHERE id = $1',
      [id],
    );
    const delivery = await untilStatus(project, id, 'succeeded');
    expect(delivery.attempts.map(({ number, status }) => [number, status])).toEqual([
      [1, 503],
      [2, 200],
    ]);
  });

  test('a delivery that is merely slow is not restarted', async () => {
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    await untilWorkflow(service, id, 'RUNNING');
    await eventually(() => isQuiet(id));
    await service.pool.query('UPDATE deliveries SET overdue_at = now() WHERE id = $1', [id]);
    const { runId } = await workflowOf(service, id).describe();
    await eventually(async () => {
      const { rows } = await service.pool.query<{ seen: boolean }>(
        'SELECT overdue_at > now() AS seen FROM deliveries WHERE id = $1',
        [id],
      );
      return rows[0]?.seen;
    });
    await eventually(() => isQuiet(id));
    expect((await workflowOf(service, id).describe()).runId).toBe(runId);
    expect(receiver.of(id)).toHaveLength(1);
  });

  test('a workflow reset to its beginning repeats nothing that has a result', async () => {
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    await project.api('POST', `/v1/deliveries/${id}/retry`);
    await untilAttempts(project, id, 2);
    const handle = workflowOf(service, id);
    const { runId } = await handle.describe();
    // A workflow that attempts in a local activity may still be in its first task.
    const begun = await eventually(async () => {
      const { events } = await handle.fetchHistory();
      return events?.find((event) => event.workflowTaskCompletedEventAttributes);
    });
    await service.client.workflowService.resetWorkflowExecution({
      namespace: 'default',
      workflowExecution: { workflowId: handle.workflowId, runId },
      reason: 'test',
      workflowTaskFinishEventId: begun.eventId!,
      requestId: 'reset-1',
    });
    receiver.behave(200);
    await project.api('POST', `/v1/deliveries/${id}/retry`);
    const delivery = await untilStatus(project, id, 'succeeded');
    expect(delivery.attempts.map(({ status }) => status)).toEqual([503, 503, 200]);
    expect(receiver.of(id)).toHaveLength(3);
  });

  test('a database that goes away in mid-attempt costs no delivery and repeats none', async () => {
    receiver.behave((res) => {
      receiver.behave(200);
      // Every connection of the service is cut while the receiver answers for the first time.
      void emitted
        .then(() =>
          service.pool.query(
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
          ),
        )
        .catch(() => undefined)
        .then(() => res.end('ok'));
    });
    const emitted = emitOne(service, project, endpoint.id);
    const delivery = await untilStatus(project, await emitted, 'succeeded');
    expect(delivery.attempts).toHaveLength(1);
  });

  async function isQuiet(id: string): Promise<boolean> {
    const { rows } = await service.pool.query<{ quiet: boolean }>(
      'SELECT NOT EXISTS (SELECT 1 FROM delivery_queue WHERE delivery_id = $1) AS quiet',
      [id],
    );
    return rows[0]?.quiet ?? false;
  }

  test('the log of a delivery survives the end of its endpoint’s secrets', async () => {
    receiver.behave(200);
    const id = await emitOne(service, project, endpoint.id);
    await untilStatus(project, id, 'succeeded');
    await project.api('DELETE', `/v1/webhooks/${endpoint.id}`);
    expect((await readDelivery(project, id)).status).toBe('succeeded');
  });
}
