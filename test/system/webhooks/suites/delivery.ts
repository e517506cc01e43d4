import { createHmac } from 'node:crypto';
import { verifySignature as verify } from '../../../../sdk/typescript/src';
import { eventually } from '../../../support/eventually';
import type { TestProject, TestService } from '../../../support/service';
import {
  createEndpoint,
  emitExample,
  emitOne,
  listDeliveries,
  scriptedReceiver,
  untilStatus,
  type ScriptedReceiver,
} from '../fixture';
import type { RunningLane } from './lane';

/** What a delivery that arrives at once looks like to its receiver and in the log. */
export function delivery(lane: RunningLane): void {
  let service: TestService;
  let project: TestProject;
  let receiver: ScriptedReceiver;

  beforeAll(() => {
    ({ service } = lane);
  });

  beforeEach(async () => {
    project = await service.createProject();
    receiver = await scriptedReceiver();
  });

  afterEach(() => receiver.close());

  test('an event reaches its endpoint once, signed over the very bytes that arrive', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    const delivery = await untilStatus(project, id, 'succeeded');

    expect(receiver.received).toHaveLength(1);
    const [request] = receiver.received;
    const { headers, body } = request!;
    expect(request!.method).toBe('POST');
    expect(headers['content-type']).toBe('application/json');
    expect(headers['x-service-event']).toBe('auth.completed');
    expect(headers['x-service-delivery-id']).toBe(id);
    expect(body.toString()).toBe(delivery.body);
    expect(JSON.parse(delivery.body)).toMatchObject({
      event: 'auth.completed',
      data: { channel: 'telegram' },
    });

    const signature = String(headers['x-service-signature']);
    // Once by a verifier written from the specification alone, once by the one that receivers get from us.
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    expect(createHmac('sha256', endpoint.secret).update(`${t}.`).update(body).digest('hex')).toBe(v1);
    expect(headers['x-service-timestamp']).toBe(t);
    expect(verify(body, signature, endpoint.secret)).toEqual({ timestamp: Number(t) });

    expect(delivery).toMatchObject({
      attempt_count: 1,
      last_http_status: 200,
      last_error: null,
      test: false,
      endpoint_id: endpoint.id,
      endpoint_url: receiver.url,
      ended_reason: 'delivered',
    });
    expect(headers['x-service-test']).toBeUndefined();
    expect(delivery.attempts).toEqual([
      expect.objectContaining({
        number: 1,
        status: 200,
        error: null,
        response_body: 'ok',
        next_attempt_at: null,
      }),
    ]);
  });

  test('the log shows the request headers as they arrived, and the lane', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    // At rest nothing has waited for two seconds, so `auto` takes the workflow lane. A busy machine may come to rest later.
    const expected = lane.name === 'auto' ? 'workflow' : lane.name;
    const delivery = await eventually(async () => {
      const one = await untilStatus(project, await emitOne(service, project, endpoint.id), 'succeeded');
      return lane.name !== 'auto' || one.lane === expected ? one : null;
    });
    const { id, attempts, lane: taken, workflow_id } = delivery;
    const sent = Object.entries(attempts[0]!.request_headers ?? {});
    const arrived = receiver.of(id)[0]!.headers;
    expect(sent.map(([name, value]) => [name.toLowerCase(), value])).toEqual(
      sent.map(([name]) => [name.toLowerCase(), arrived[name.toLowerCase()]]),
    );
    // All that arrived, but for what the connection adds by itself.
    const added = new Set(['host', 'connection', 'content-length']);
    expect(sent.map(([name]) => name.toLowerCase()).sort()).toEqual(
      Object.keys(arrived)
        .filter((name) => !added.has(name))
        .sort(),
    );
    expect(taken).toBe(expected);
    expect(workflow_id).toBe(taken === 'express' ? null : `delivery/${id}`);
  });

  test("the endpoint's own headers arrive with Herald's, and are shown nowhere", async () => {
    const value = 'Bearer top-secret-value';
    const endpoint = await createEndpoint(project, receiver.url, {
      headers: { Authorization: value, 'X-Tenant': 'acme' },
    });
    const id = await emitOne(service, project, endpoint.id);
    const { attempts } = await untilStatus(project, id, 'succeeded');
    const [request] = receiver.of(id);
    expect(request!.headers).toMatchObject({ authorization: value, 'x-tenant': 'acme' });
    verify(request!.body, request!.headers, endpoint.secret);
    expect(attempts[0]!.request_headers).toMatchObject({
      Authorization: '***',
      'X-Tenant': '***',
      'X-Service-Delivery-Id': id,
    });
    const { rows } = await service.pool.query(
      `SELECT 1 FROM attempts a WHERE a::text LIKE '%top-secret%'
       UNION ALL SELECT 1 FROM endpoints e WHERE e::text LIKE '%top-secret%'
       UNION ALL SELECT 1 FROM deliveries d WHERE d::text LIKE '%top-secret%'`,
    );
    expect(rows).toEqual([]);
  });

  test('before its start a delivery has no lane, no workflow and no end', async () => {
    const endpoint = await createEndpoint(project, receiver.url);
    await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'disabled' });
    const id = await emitOne(service, project, endpoint.id);
    const [listed] = await listDeliveries(project, endpoint.id);
    expect(listed).toMatchObject({ id, status: 'paused', lane: null, workflow_id: null, ended_reason: null });
  });

  test('each matching endpoint gets the event, an empty list means all, and no match leaves no trace', async () => {
    const all = await createEndpoint(project, `${receiver.url}/all`, { events: [] });
    const logins = await createEndpoint(project, `${receiver.url}/logins`, { events: ['auth.completed'] });
    const otp = await createEndpoint(project, `${receiver.url}/otp`, { events: ['otp.sent'] });
    const other = await service.createProject();
    const stranger = await createEndpoint(other, `${receiver.url}/stranger`);

    const id = await emitOne(service, project, all.id);
    const second = (await listDeliveries(project, logins.id))[0]!.id;
    await untilStatus(project, id, 'succeeded');
    await untilStatus(project, second, 'succeeded');

    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/hook/all', '/hook/logins']);
    expect(await listDeliveries(project, otp.id)).toEqual([]);
    expect(await listDeliveries(other, stranger.id)).toEqual([]);
  });

  test('an event without a matching endpoint is recorded and makes no delivery', async () => {
    const endpoint = await createEndpoint(project, receiver.url, { events: ['otp.sent'] });
    const eventId = await emitExample(service, project, 'auth.completed');
    const { rows } = await service.pool.query('SELECT 1 FROM deliveries WHERE event_id = $1', [eventId]);
    expect(rows).toEqual([]);
    expect(await listDeliveries(project, endpoint.id)).toEqual([]);
  });
}
