import type http from 'node:http';
import { eventually } from '../../../support/eventually';
import type { TestProject, TestService } from '../../../support/service';
import {
  createEndpoint,
  emitOne,
  listDeliveries,
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

/** What a project asks for: retry, cancel, pause and resume, delete, test, recover. */
export function control(lane: RunningLane): void {
  /** The real schedule: a delivery that failed once waits half a minute, time enough to do things to it. */
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

  const retry = (id: string, key?: string) =>
    project.api('POST', `/v1/deliveries/${id}/retry`, undefined, key ? { 'idempotency-key': key } : {});
  const setStatus = (status: 'active' | 'disabled') =>
    project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status });

  /** A delivery that failed once, and whose workflow waits for the next attempt. */
  async function waitingDelivery(): Promise<string> {
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    await untilWorkflow(service, id, 'RUNNING');
    return id;
  }

  /** A delivery whose receiver said no. */
  async function failedDelivery(): Promise<string> {
    receiver.behave(404);
    const id = await emitOne(service, project, endpoint.id);
    await untilStatus(project, id, 'failed');
    return id;
  }

  describe('retry', () => {
    test('of a waiting delivery makes one attempt now, and the schedule continues', async () => {
      const id = await waitingDelivery();
      const before = await readDelivery(project, id);
      const { status, body } = await retry(id);
      expect(status).toBe(202);
      expect(body).toMatchObject({ id, status: 'pending' });
      const after = await untilAttempts(project, id, 2);
      expect(receiver.of(id)).toHaveLength(2);
      // The attempt that was asked for used up no place of the schedule.
      expect(after.next_attempt_at).toBe(before.next_attempt_at);
    });

    test('twice makes two attempts', async () => {
      const id = await waitingDelivery();
      await Promise.all([retry(id), retry(id)]);
      await untilAttempts(project, id, 3);
      await settled(id);
      expect(receiver.of(id)).toHaveLength(3);
    });

    test('twice with the same Idempotency-Key makes one', async () => {
      const id = await waitingDelivery();
      const first = await retry(id, 'key-0001');
      expect(first.status).toBe(202);
      await untilAttempts(project, id, 2);
      const again = await retry(id, 'key-0001');
      expect([again.status, again.body]).toEqual([202, first.body]);
      const other = await retry(await waitingDelivery(), 'key-0001');
      expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict']);
      await settled(id);
      expect(receiver.of(id)).toHaveLength(2);
    });

    test('with a malformed Idempotency-Key is refused', async () => {
      const id = await waitingDelivery();
      for (const key of ['short', 'has space in it', 'x'.repeat(129)]) {
        const { status, body } = await retry(id, key);
        expect([status, body.code]).toEqual([400, 'validation_failed']);
      }
    });

    test('of an ended delivery sends it again under the same id', async () => {
      const id = await failedDelivery();
      await untilWorkflow(service, id, 'FAILED');
      // The relay records the start after it; the workflow may have ended by then.
      await eventually(async () => (await readDelivery(project, id)).workflow_id !== null);
      expect(await readDelivery(project, id)).toMatchObject({
        ended_reason: 'refused_by_receiver',
        workflow_id: `delivery/${id}`,
      });
      receiver.behave(200);
      const { status, body } = await retry(id);
      expect([status, body.id, body.status]).toEqual([202, id, 'pending']);
      const delivery = await untilStatus(project, id, 'succeeded');
      expect(delivery.attempts.map((attempt) => attempt.status)).toEqual([404, 200]);
      expect(receiver.of(id)).toHaveLength(2);
      await untilWorkflow(service, id, 'COMPLETED');
      // A success, too, can be sent again.
      await retry(id);
      await untilAttempts(project, id, 3);
      await untilStatus(project, id, 'succeeded');
      expect(receiver.of(id)).toHaveLength(3);
    });

    test('while an attempt is under way makes exactly one more', async () => {
      const held: http.ServerResponse[] = [];
      receiver.behave((res) => void held.push(res));
      const id = await emitOne(service, project, endpoint.id);
      await eventually(() => held.length === 1);
      await retry(id);
      receiver.behave(200);
      held[0]!.writeHead(503).end();
      const delivery = await untilStatus(project, id, 'succeeded');
      expect(delivery.attempts.map((attempt) => attempt.status)).toEqual([503, 200]);
      await untilWorkflow(service, id, 'COMPLETED');
      expect(receiver.of(id)).toHaveLength(2);
    });

    test('is refused while the endpoint is disabled, and when it is deleted', async () => {
      const id = await failedDelivery();
      await setStatus('disabled');
      const disabled = await retry(id);
      expect([disabled.status, disabled.body.code]).toEqual([409, 'conflict']);
      await project.api('DELETE', `/v1/webhooks/${endpoint.id}`);
      expect((await retry(id)).status).toBe(409);
      expect((await readDelivery(project, id)).status).toBe('failed');
    });

    test('a signal without a reason sends nothing', async () => {
      const id = await waitingDelivery();
      for (let i = 0; i < 3; i += 1) await workflowOf(service, id).signal('changed');
      await settled(id);
      expect(receiver.of(id)).toHaveLength(1);
    });
  });

  describe('cancel', () => {
    test('ends a waiting delivery, and its workflow with it', async () => {
      const id = await waitingDelivery();
      const { status, body } = await project.api('POST', `/v1/deliveries/${id}/cancel`);
      expect([status, body.status, body.next_attempt_at]).toEqual([200, 'cancelled', null]);
      expect(body.ended_reason).toBe('cancelled');
      await untilWorkflow(service, id, 'COMPLETED');
      await expect(workflowOf(service, id).result()).resolves.toEqual({ status: 'cancelled', attempts: 1 });
      expect((await project.api('POST', `/v1/deliveries/${id}/cancel`)).status).toBe(200);
      expect(receiver.of(id)).toHaveLength(1);
    });

    test('of an ended delivery is a conflict', async () => {
      const id = await failedDelivery();
      const { status, body } = await project.api('POST', `/v1/deliveries/${id}/cancel`);
      expect([status, body.code]).toEqual([409, 'conflict']);
    });

    test('by an operator in the Temporal UI shows in the log', async () => {
      const id = await waitingDelivery();
      await workflowOf(service, id).cancel();
      await untilStatus(project, id, 'cancelled');
      await untilWorkflow(service, id, 'CANCELLED');
    });
  });

  describe('a disabled endpoint', () => {
    test('pauses waiting deliveries, and enabling it makes the attempt', async () => {
      const id = await waitingDelivery();
      await setStatus('disabled');
      expect((await readDelivery(project, id)).status).toBe('paused');
      expect((await listDeliveries(project, endpoint.id, '?status=paused')).map((d) => d.id)).toEqual([id]);
      expect(await listDeliveries(project, endpoint.id, '?status=pending')).toEqual([]);
      receiver.behave(200);
      await setStatus('active');
      await untilStatus(project, id, 'succeeded');
      expect(receiver.of(id)).toHaveLength(2);
    });

    test('parks a delivery that becomes due: no POST, no workflow, until it is enabled', async () => {
      const id = await waitingDelivery();
      await setStatus('disabled');
      // Its time comes now instead of in half a minute.
      await service.pool.query('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [id]);
      await workflowOf(service, id).signal('changed');
      await untilWorkflow(service, id, 'COMPLETED');
      await expect(workflowOf(service, id).result()).resolves.toEqual({ status: 'paused', attempts: 1 });
      expect((await readDelivery(project, id)).status).toBe('paused');
      expect(receiver.of(id)).toHaveLength(1);
      receiver.behave(200);
      await setStatus('active');
      await untilStatus(project, id, 'succeeded');
      expect(receiver.of(id)).toHaveLength(2);
    });

    test('records events as paused deliveries without a workflow; enabling sends them', async () => {
      receiver.behave(200);
      await setStatus('disabled');
      const ids = [];
      for (let i = 0; i < 5; i += 1) ids.push(await emitOne(service, project, endpoint.id));
      expect((await listDeliveries(project, endpoint.id)).map(({ status }) => status)).toEqual(
        Array<string>(5).fill('paused'),
      );
      await expect(workflowOf(service, ids[0]!).describe()).rejects.toThrow(/not found/i);
      await setStatus('active');
      for (const id of ids) await untilStatus(project, id, 'succeeded');
      expect(receiver.received).toHaveLength(5);
    });

    test('gives one attempt on resumption even to a delivery whose day is over', async () => {
      const id = await waitingDelivery();
      await setStatus('disabled');
      await service.pool.query(
        `UPDATE deliveries SET first_attempt_at = now() - interval '3 days', next_attempt_at = now() WHERE id = $1`,
        [id],
      );
      await workflowOf(service, id).signal('changed');
      await untilWorkflow(service, id, 'COMPLETED');
      await setStatus('active');
      await untilStatus(project, id, 'failed');
      expect(receiver.of(id)).toHaveLength(2);
    });
  });

  test('deleting an endpoint cancels its waiting deliveries, and each delivery stays readable', async () => {
    const id = await waitingDelivery();
    await project.api('DELETE', `/v1/webhooks/${endpoint.id}`);
    expect(await readDelivery(project, id)).toMatchObject({
      status: 'cancelled',
      ended_reason: 'endpoint_removed',
    });
    await untilWorkflow(service, id, 'COMPLETED');
    expect(receiver.of(id)).toHaveLength(1);
  });

  test('a test event goes out whatever the filter', async () => {
    receiver.behave(200);
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { events: ['otp.sent'] });
    const { status, body } = await project.api('POST', `/v1/webhooks/${endpoint.id}/test`, {
      event: 'auth.completed',
    });
    expect(status).toBe(202);
    const delivery = await untilStatus(project, body.delivery_id as string, 'succeeded');
    expect(delivery.event).toBe('auth.completed');
    expect(delivery.test).toBe(true);
    const { headers, body: sent } = receiver.of(delivery.id)[0]!;
    expect(headers['x-service-event']).toBe('auth.completed');
    // Its person is plainly made up, for a receiver that does not read the header.
    expect(JSON.parse(sent.toString())).toMatchObject({
      data: { first_name: 'Test User', external_id: 'test' },
    });
    expect(headers['x-service-test']).toBe('true');
    expect(delivery.attempts[0]!.request_headers).toMatchObject({ 'X-Service-Test': 'true' });
    expect((await listDeliveries(project, endpoint.id))[0]).toMatchObject({ id: delivery.id, test: true });
  });

  describe('recover', () => {
    const recover = (since: string) => project.api('POST', `/v1/webhooks/${endpoint.id}/recover`, { since });

    test('sends each delivery that failed since then once, and none before', async () => {
      const before = await failedDelivery();
      await service.pool.query(`UPDATE deliveries SET ended_at = now() - interval '1 hour' WHERE id = $1`, [
        before,
      ]);
      const since = new Date(Date.now() - 30 * 60_000).toISOString();
      const failed = [await failedDelivery(), await failedDelivery()];
      receiver.behave(200);
      const fine = await emitOne(service, project, endpoint.id);
      await untilStatus(project, fine, 'succeeded');

      const answers = await Promise.all([recover(since), recover(since)]);
      expect(answers.map(({ status }) => status)).toEqual([202, 202]);
      expect(answers.map(({ body }) => body.recovered as number).sort()).toEqual([0, 2]);
      for (const id of failed) {
        await untilStatus(project, id, 'succeeded');
        expect(receiver.of(id)).toHaveLength(2);
      }
      expect((await readDelivery(project, before)).status).toBe('failed');
      expect(receiver.of(before)).toHaveLength(1);
      expect(receiver.of(fine)).toHaveLength(1);
    });

    test('goes fourteen days back and no further', async () => {
      const days = (count: number) => new Date(Date.now() - count * 86_400_000).toISOString();
      expect((await recover(days(14))).body).toEqual({ recovered: 0 });
      const tooOld = await recover(days(15));
      expect([tooOld.status, tooOld.body.code]).toEqual([400, 'validation_failed']);
      expect(tooOld.body.error).toContain('since');
      expect((await recover('yesterday')).status).toBe(400);
      await setStatus('disabled');
      expect((await recover(days(1))).status).toBe(409);
    });
  });

  /** Waits until the delivery's workflow has nothing left to do but wait. */
  async function settled(id: string): Promise<void> {
    await eventually(async () => {
      const { raw } = await workflowOf(service, id).describe();
      const { rows } = await service.pool.query<{ quiet: boolean }>(
        'SELECT NOT EXISTS (SELECT 1 FROM delivery_queue WHERE delivery_id = $1) AS quiet',
        [id],
      );
      return rows[0]?.quiet && !raw.pendingWorkflowTask && (raw.pendingActivities ?? []).length === 0;
    });
  }
}
