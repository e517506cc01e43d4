import type http from 'node:http';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import { searchAttributes } from '../../../src/base/temporal/names';
import { claimAttempt } from '../../../src/domains/webhooks/queries/attempts';
import { verifySignature as verify } from '../../../sdk/typescript/src';
import { nextAttemptQuery } from '../../../workflows/deliver-webhook';
import {
  createEndpoint,
  emitOne,
  readDelivery,
  scriptedReceiver,
  untilStatus,
  workflowOf,
  type ScriptedReceiver,
} from './fixture';

let service: TestService;
let project: TestProject;
let receiver: ScriptedReceiver;

beforeAll(async () => {
  // Its own: the lane and short waits between attempts.
  service = await startTestService({
    lane: 'express',
    env: { HERALD_RETRY_SCALE: '0.002' },
    queues: ['deliveries'],
  });
});
afterAll(() => service.stop());
beforeEach(async () => {
  project = await service.createProject();
  receiver = await scriptedReceiver(200);
});
afterEach(() => receiver.close());

async function hasWorkflow(deliveryId: string): Promise<boolean> {
  return workflowOf(service, deliveryId)
    .describe()
    .then(
      () => true,
      () => false,
    );
}

test('a delivery that succeeds at once is signed, logged and needs no workflow', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  const id = await emitOne(service, project, endpoint.id);
  await untilStatus(project, id, 'succeeded');
  const [request] = receiver.of(id);
  expect(receiver.of(id)).toHaveLength(1);
  verify(request?.body ?? '', String(request?.headers['x-service-signature']), endpoint.secret);
  const delivery = await readDelivery(project, id);
  expect(delivery.attempts).toMatchObject([{ number: 1, status: 200, error: null, response_body: 'ok' }]);
  expect(await hasWorkflow(id)).toBe(false);
});

test('after a first failure a workflow goes on with attempt 2 of the same schedule', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  receiver.behave((res) => void res.writeHead(receiver.received.length > 2 ? 200 : 503).end());
  const id = await emitOne(service, project, endpoint.id);
  await eventually(() => receiver.of(id).length >= 1);
  const first = (await eventually(async () => (await readDelivery(project, id)).first_attempt_at)) as string;
  await untilStatus(project, id, 'succeeded');
  const delivery = await readDelivery(project, id);
  expect(delivery.first_attempt_at).toBe(first);
  expect(delivery.attempts.map(({ number }) => number)).toEqual(
    delivery.attempts.map((_, index) => index + 1),
  );
  expect(new Set(receiver.of(id).map(({ headers }) => headers['x-service-delivery-id']))).toEqual(
    new Set([id]),
  );
  expect(await hasWorkflow(id)).toBe(true);
});

test('after a first failure the workflow waits for its time: the UI shows how the delivery stands, and nothing is asked before', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  receiver.behave((res) => void res.writeHead(503, { 'retry-after': '3600' }).end());
  const id = await emitOne(service, project, endpoint.id);
  await eventually(() => hasWorkflow(id));
  const workflow = workflowOf(service, id);
  const { typedSearchAttributes: shown } = await workflow.describe();
  expect(shown.get(searchAttributes.DeliveryStatus)).toBe('retrying');
  expect(shown.get(searchAttributes.Attempt)).toBe(1);
  expect(shown.get(searchAttributes.LastHttpStatus)).toBe(503);
  expect(shown.get(searchAttributes.LastError)).toBeUndefined();
  const { next_attempt_at } = await readDelivery(project, id);
  const next = new Date(next_attempt_at ?? '');
  expect(shown.get(searchAttributes.NextAttemptAt)).toEqual(next);
  await expect(workflow.query(nextAttemptQuery)).resolves.toBe(next.toISOString());
  const { events } = await workflow.fetchHistory();
  expect(events?.some((event) => event.timerStartedEventAttributes)).toBe(true);
  expect(events?.some((event) => event.activityTaskScheduledEventAttributes)).toBe(false);

  receiver.behave(200);
  await project.api('POST', `/v1/deliveries/${id}/retry`);
  await expect(workflow.result()).resolves.toEqual({ status: 'succeeded', attempts: 2 });
  expect(receiver.of(id)).toHaveLength(2);
});

test('a first attempt that is refused ends the delivery, and the workflow shows it as Failed', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  receiver.behave(404);
  const id = await emitOne(service, project, endpoint.id);
  await untilStatus(project, id, 'failed');
  await expect(
    eventually(async () => (await hasWorkflow(id)) && workflowOf(service, id)),
  ).resolves.toBeTruthy();
  await expect(workflowOf(service, id).result()).rejects.toMatchObject({
    cause: { type: 'delivery.refused' },
  });
  expect(receiver.of(id)).toHaveLength(1);
});

test('410 disables the endpoint; an event while it is disabled waits and goes out when it is enabled', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  receiver.behave(410);
  const gone = await emitOne(service, project, endpoint.id);
  await untilStatus(project, gone, 'failed');
  const { body } = await project.api('GET', `/v1/webhooks/${endpoint.id}`);
  expect(body.status).toBe('disabled');
  const paused = await emitOne(service, project, endpoint.id);
  await untilStatus(project, paused, 'paused');
  receiver.behave(200);
  await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'active' });
  await untilStatus(project, paused, 'succeeded');
});

/** The first request of a delivery hangs until it is released; later ones get the status. */
function holdFirst(status: number): { release(): void } {
  const held: http.ServerResponse[] = [];
  receiver.behave((res) => {
    if (held.length === 0) held.push(res);
    else res.writeHead(status).end();
  });
  return { release: () => void held[0]?.end('late') };
}

/** As if the process had died: its lease is over, and its result is never written. */
async function loseLease(id: string): Promise<void> {
  await eventually(() => receiver.of(id).length === 1);
  await service.pool.query(
    `UPDATE delivery_queue SET lease_until = now() - interval '1 second' WHERE delivery_id = $1`,
    [id],
  );
  await eventually(async () => (await readDelivery(project, id)).attempts[0]?.error === 'lost');
}

test('a first attempt in flight is shown, in its delivery and in both lists', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  const first = holdFirst(200);
  const id = await emitOne(service, project, endpoint.id);
  await eventually(() => receiver.of(id).length === 1);
  const shown = { id, status: 'pending', lane: 'express', attempt_count: 1, next_attempt_at: null };
  const delivery = await readDelivery(project, id);
  expect(delivery).toMatchObject(shown);
  expect(delivery.attempts).toMatchObject([{ number: 1, status: null, error: null, duration_ms: null }]);
  expect(delivery.attempts[0]?.attempted_at).toBe(delivery.first_attempt_at);
  for (const path of [`/v1/webhooks/${endpoint.id}/deliveries`, '/v1/deliveries']) {
    const { body } = await project.api('GET', path);
    expect(body.data).toMatchObject([shown]);
  }
  first.release();
  await untilStatus(project, id, 'succeeded');
  expect((await readDelivery(project, id)).first_attempt_at).toBe(delivery.first_attempt_at);
});

test('a process that dies in the first attempt loses nothing: its lease runs out and the workflow goes on', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  const first = holdFirst(200);
  const id = await emitOne(service, project, endpoint.id);
  await loseLease(id);
  await untilStatus(project, id, 'succeeded');
  expect((await readDelivery(project, id)).attempts.map(({ number }) => number)).toEqual([1, 2]);
  first.release();
});

test('a late 2xx still ends the delivery, whatever later attempts get', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  const first = holdFirst(503);
  const id = await emitOne(service, project, endpoint.id);
  await loseLease(id);
  first.release();
  await untilStatus(project, id, 'succeeded');
  const { attempts } = await readDelivery(project, id);
  expect(attempts[0]).toMatchObject({ number: 1, status: 200, error: null });
});

test('a first attempt of a delivery that is cancelled meanwhile is recorded, also after a workflow has looked', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  let release = () => {};
  receiver.behave((res) => {
    release = () => void res.writeHead(503).end();
  });
  const id = await emitOne(service, project, endpoint.id);
  await eventually(() => receiver.of(id).length === 1);
  expect((await project.api('POST', `/v1/deliveries/${id}/cancel`)).status).toBe(200);
  expect(await claimAttempt(service.pool, id, 1)).toMatchObject({ verdict: 'ended' });
  release();
  await eventually(async () => (await readDelivery(project, id)).attempts[0]?.status === 503);
  expect(await readDelivery(project, id)).toMatchObject({ status: 'cancelled', attempt_count: 1 });
});

test('a retry that is asked for during the first attempt makes one more, after it', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  let release = () => {};
  receiver.behave((res) => {
    release = () => res.end('ok');
  });
  const id = await emitOne(service, project, endpoint.id);
  await eventually(() => receiver.of(id).length === 1);
  const { status } = await project.api('POST', `/v1/deliveries/${id}/retry`);
  expect(status).toBe(202);
  receiver.behave(200);
  release();
  await eventually(
    async () =>
      (await readDelivery(project, id)).attempts.filter((attempt) => attempt.status === 200).length === 2,
  );
  await untilStatus(project, id, 'succeeded');
  expect(receiver.of(id)).toHaveLength(2);
});

test('an endpoint can choose its own lane', async () => {
  const endpoint = await createEndpoint(project, receiver.url, { delivery_lane: 'workflow' });
  const id = await emitOne(service, project, endpoint.id);
  await untilStatus(project, id, 'succeeded');
  expect(await hasWorkflow(id)).toBe(true);
  const { body } = await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { delivery_lane: 'express' });
  expect(body.delivery_lane).toBe('express');
  const express = await emitOne(service, project, endpoint.id);
  await untilStatus(project, express, 'succeeded');
  expect(await hasWorkflow(express)).toBe(false);
});

test('a burst to one endpoint is delivered once each, and leaves nothing queued', async () => {
  const endpoint = await createEndpoint(project, receiver.url);
  const ids = await Promise.all(Array.from({ length: 60 }, () => emitOne(service, project, endpoint.id)));
  for (const id of ids) await untilStatus(project, id, 'succeeded');
  expect(ids.map((id) => receiver.of(id).length)).toEqual(ids.map(() => 1));
  const { rows } = await service.pool.query('SELECT 1 FROM delivery_queue WHERE endpoint_id = $1', [
    endpoint.id,
  ]);
  expect(rows).toEqual([]);
});
