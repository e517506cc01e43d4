import { createHmac } from 'node:crypto';
import { WorkflowFailedError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { searchAttributes } from '../../../../src/base/temporal/names';
import { nextAttemptQuery } from '../../../../workflows/deliver-webhook';
import { eventually } from '../../../support/eventually';
import type { TestProject, TestService } from '../../../support/service';
import { startRawReceiver, startReceiver, type ReceivedRequest } from '../../../support/receiver';
import {
  createEndpoint,
  emitExample,
  emitOne,
  listDeliveries,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type ScriptedReceiver,
} from '../fixture';
import { scaleRetries, type RunningLane } from './lane';

/** How each answer of a receiver, and each way of not answering, is followed up. */
export function retries(lane: RunningLane): void {
  /** A second of the schedule takes 20 ms: attempts at 0, 0.6, 2.4 and 12 seconds. */
  const SCALE = 0.02;

  let service: TestService;
  let project: TestProject;
  let receiver: ScriptedReceiver;

  scaleRetries(lane, SCALE);
  beforeAll(() => {
    ({ service } = lane);
  });

  beforeEach(async () => {
    project = await service.createProject();
    receiver = await scriptedReceiver(503);
  });

  afterEach(() => receiver.close());

  const retryNow = (id: string) => project.api('POST', `/v1/deliveries/${id}/retry`);
  const at = (time: string | null) => Date.parse(time ?? '');
  const signatureOf = (request: ReceivedRequest) => String(request.headers['x-service-signature']);
  const timeOf = (request: ReceivedRequest) => Number(/^t=(\d+),/.exec(signatureOf(request))?.[1]);

  /** The receiver answers its first requests with the status, and all others with 200. */
  function failFirst(count: number, status: number): void {
    receiver.behave((res) => void res.writeHead(receiver.received.length > count ? 200 : status).end());
  }

  test('a failing receiver is tried again on schedule: same id and bytes, fresh time and signature', async () => {
    failFirst(3, 503);
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    const delivery = await untilStatus(project, id, 'succeeded');

    const start = at(delivery.first_attempt_at);
    const offsets = delivery.attempts.map((attempt) => (at(attempt.attempted_at) - start) / 1000);
    const lateness = [0, 30, 120, 600].map((due, index) => (offsets[index] ?? NaN) - due * SCALE);
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
    // The most punctual retry: the others are as late as the machine is busy with other tests.
    expect(Math.min(...lateness.slice(1))).toBeLessThan(3);
    expect(delivery.attempts.map(({ status }) => status)).toEqual([503, 503, 503, 200]);
    // A place of the schedule that is over before the attempt ends is not taken any more.
    const isPunctual = lateness[2]! < 5;
    const planned = at(delivery.attempts[2]!.next_attempt_at) - start;
    expect(isPunctual ? planned : 600 * SCALE * 1000).toBe(600 * SCALE * 1000);

    expect(receiver.received).toHaveLength(4);
    expect(new Set(receiver.received.map((request) => request.headers['x-service-delivery-id']))).toEqual(
      new Set([id]),
    );
    expect(new Set(receiver.received.map((request) => request.body.toString())).size).toBe(1);
    const [first] = receiver.received;
    const last = receiver.received.at(-1)!;
    expect(timeOf(last)).toBeGreaterThan(timeOf(first!));
    expect(signatureOf(last)).not.toBe(signatureOf(first!));
  });

  test('while it waits, the Temporal UI shows its state; a final success is shown too', async () => {
    receiver.behave((res) => {
      res.writeHead(503, { 'retry-after': '600' }).end();
    });
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    const { next_attempt_at } = await untilAttempts(project, id, 1);
    const waiting = await eventually(async () => {
      const { typedSearchAttributes: shown } = await workflowOf(service, id).describe();
      return shown.get(searchAttributes.Attempt) === 1 ? shown : null;
    });
    expect(waiting.get(searchAttributes.DeliveryStatus)).toBe('retrying');
    const summary = await (await workflowOf(service, id).describe()).staticSummary();
    const { pathname, host } = new URL(receiver.url);
    expect(summary).toBe(`auth.completed ${pathname} at ${host} (${project.slug})`);
    expect(waiting.get(searchAttributes.LastHttpStatus)).toBe(503);
    expect(waiting.get(searchAttributes.NextAttemptAt)).toBeInstanceOf(Date);
    expect(at(await workflowOf(service, id).query(nextAttemptQuery))).toBe(at(next_attempt_at));

    receiver.behave(200);
    await retryNow(id);
    const { typedSearchAttributes: ended } = await untilWorkflow(service, id, 'COMPLETED');
    expect(ended.get(searchAttributes.DeliveryStatus)).toBe('succeeded');
    expect(ended.get(searchAttributes.Attempt)).toBe(2);
    expect(ended.get(searchAttributes.NextAttemptAt)).toBeUndefined();
  });

  test('a used-up schedule ends failed, in the log and in the Temporal UI', async () => {
    const endpoint = await createEndpoint(project, receiver.url, { retry_policy: 'quick' });
    const id = await emitOne(service, project, endpoint.id);
    const delivery = await untilStatus(project, id, 'failed');
    expect(delivery).toMatchObject({
      attempt_count: 4,
      last_http_status: 503,
      next_attempt_at: null,
      ended_reason: 'schedule_used_up',
    });
    expect(delivery.ended_at).not.toBeNull();

    const { typedSearchAttributes } = await untilWorkflow(service, id, 'FAILED');
    expect(typedSearchAttributes.get(searchAttributes.DeliveryStatus)).toBe('failed');
    expect(typedSearchAttributes.get(searchAttributes.LastHttpStatus)).toBe(503);
    const failure = await workflowOf(service, id)
      .result()
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(WorkflowFailedError);
    expect((failure as WorkflowFailedError).cause).toBeInstanceOf(ApplicationFailure);
    expect(((failure as WorkflowFailedError).cause as ApplicationFailure).type).toBe('delivery.exhausted');
  });

  test.each([
    ['durable', 404],
    ['durable', 400],
    ['quick', 429],
    ['quick', 408],
  ] as const)('under the %s policy a %d ends the delivery at once', async (retry_policy, status) => {
    receiver.behave(status);
    const endpoint = await createEndpoint(project, receiver.url, { retry_policy });
    const id = await emitOne(service, project, endpoint.id);
    await untilStatus(project, id, 'failed');
    await untilWorkflow(service, id, 'FAILED');
    const failure = (await workflowOf(service, id)
      .result()
      .catch((error: unknown) => error)) as WorkflowFailedError;
    expect((failure.cause as ApplicationFailure).type).toBe('delivery.refused');
    expect(receiver.received).toHaveLength(1);
  });

  test.each([408, 425, 429, 500, 502])('under the durable policy a %d is tried again', async (status) => {
    failFirst(2, status);
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    const { attempts } = await untilStatus(project, id, 'succeeded');
    expect(attempts.map((attempt) => attempt.status)).toEqual([status, status, 200]);
  });

  test('a redirect is a failed attempt, and its target is never visited', async () => {
    const target = await scriptedReceiver(200);
    try {
      receiver.behave((res) => {
        res.writeHead(302, { location: target.url }).end();
      });
      const endpoint = await createEndpoint(project, receiver.url);
      const id = await emitOne(service, project, endpoint.id);
      const { attempts } = await untilAttempts(project, id, 2);
      expect(attempts[0]).toMatchObject({ status: 302, error: 'redirect' });
      expect(target.received).toEqual([]);
    } finally {
      await target.close();
    }
  });

  test('410 ends the delivery and disables the endpoint, with the reason shown', async () => {
    receiver.behave(410);
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    await untilStatus(project, id, 'failed');
    const { body } = await project.api('GET', `/v1/webhooks/${endpoint.id}`);
    expect(body).toMatchObject({ status: 'disabled', disabled_reason: 'gone' });
    const enabled = await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { status: 'active' });
    expect(enabled.body).toMatchObject({ status: 'active', disabled_reason: null });
  });

  describe('Retry-After', () => {
    const scheduled = 30 * SCALE * 1000;
    const dayAfterT = 86_400 * SCALE * 1000;

    test.each([
      ['of five seconds', () => '5', 5_000, 5_000],
      ['of nothing', () => '0', scheduled, scheduled],
      ['that is garbage', () => 'soon', scheduled, scheduled],
      ['of a month', () => '2592000', dayAfterT, dayAfterT],
      // An HTTP date has no milliseconds.
      ['as a date', () => new Date(Date.now() + 9_000).toUTCString(), 8_000, 9_000],
    ])('%s can only delay the next attempt, and never beyond a day', async (_kind, value, least, most) => {
      receiver.behave((res) => {
        res.writeHead(429, { 'retry-after': value() }).end();
      });
      const endpoint = await createEndpoint(project, receiver.url);
      const begun = performance.now();
      const id = await emitOne(service, project, endpoint.id);
      const { attempts, first_attempt_at } = await untilAttempts(project, id, 1);
      const tookMs = performance.now() - begun;
      const waitMs = at(attempts[0]!.next_attempt_at) - at(first_attempt_at);
      expect(waitMs).toBeGreaterThanOrEqual(least);
      // A wait that the receiver names begins with its answer, and so does one of the schedule whose time has gone by.
      expect(waitMs).toBeLessThanOrEqual(most === dayAfterT ? most : most + tookMs);
      await project.api('POST', `/v1/deliveries/${id}/cancel`);
    });
  });

  test('one failing endpoint does not touch the other: that one is delivered once', async () => {
    const good = await scriptedReceiver(200);
    try {
      const failing = await createEndpoint(project, receiver.url);
      const fine = await createEndpoint(project, good.url);
      await emitExample(service, project);
      const [delivery] = await listDeliveries(project, failing.id);
      const [other] = await listDeliveries(project, fine.id);
      await untilAttempts(project, delivery!.id, 3);
      await untilStatus(project, other!.id, 'succeeded');
      expect(good.received).toHaveLength(1);
    } finally {
      await good.close();
    }
  });

  test('a rotation between two attempts shows in the second, newest first; after a day one signature is left', async () => {
    // No attempt is made but those that are asked for.
    receiver.behave((res) => {
      res.writeHead(503, { 'retry-after': '600' }).end();
    });
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    await untilAttempts(project, id, 1);
    const rotated = await project.api('POST', `/v1/webhooks/${endpoint.id}/rotate-secret`);
    await retryNow(id);
    await untilAttempts(project, id, 2);
    await service.pool.query(
      'UPDATE endpoint_secrets SET expires_at = now() WHERE endpoint_id = $1 AND expires_at IS NOT NULL',
      [endpoint.id],
    );
    receiver.behave(200);
    await retryNow(id);
    await untilStatus(project, id, 'succeeded');

    const expected = (request: ReceivedRequest, secret: string) =>
      createHmac('sha256', secret)
        .update(`${timeOf(request)}.`)
        .update(request.body)
        .digest('hex');
    const signatures = receiver.received.map((request) =>
      signatureOf(request)
        .split(',')
        .slice(1)
        .map((part) => part.replace('v1=', '')),
    );
    const [first, second, third] = receiver.received as [ReceivedRequest, ReceivedRequest, ReceivedRequest];
    expect(signatures[0]).toEqual([expected(first, endpoint.secret)]);
    expect(signatures[1]).toEqual([expected(second, rotated.body.secret), expected(second, endpoint.secret)]);
    expect(signatures[2]).toEqual([expected(third, rotated.body.secret)]);
  });

  test('each attempt goes to the URL of that moment', async () => {
    const moved = await scriptedReceiver(200);
    try {
      const endpoint = await createEndpoint(project, receiver.url);
      const id = await emitOne(service, project, endpoint.id);
      await untilAttempts(project, id, 1);
      await project.api('PUT', `/v1/webhooks/${endpoint.id}`, { url: moved.url });
      await untilStatus(project, id, 'succeeded');
      expect(moved.of(id)).toHaveLength(1);
    } finally {
      await moved.close();
    }
  });

  describe('each way to fail has its own word, and is tried again', () => {
    test('a port that refuses connections', async () => {
      await receiver.close();
      await expectWord(receiver.url, 'refused');
      receiver = await scriptedReceiver();
    });

    test('a connection that is reset', async () => {
      const raw = await startRawReceiver((socket) => socket.resetAndDestroy());
      await expectWord(raw.url, 'reset').finally(() => raw.close());
    });

    test('a certificate that is not trusted', async () => {
      const tls = await startReceiver((res) => void res.end(), { tls: true });
      await expectWord(tls.url, 'tls').finally(() => tls.close());
    });

    test('a response that is not HTTP', async () => {
      const raw = await startRawReceiver((socket) => void socket.end('SSH-2.0-nope\r\n\r\n'));
      await expectWord(raw.url, 'protocol').finally(() => raw.close());
    });

    test('a name that does not resolve, which can be saved', async () => {
      await expectWord('https://no-such-host.invalid/hook', 'dns');
    });

    async function expectWord(url: string, word: string): Promise<void> {
      const endpoint = await createEndpoint(project, url);
      const id = await emitOne(service, project, endpoint.id);
      const delivery = await untilAttempts(project, id, 2);
      expect(delivery).toMatchObject({ status: 'pending', last_error: word, last_http_status: null });
      expect(delivery.attempts[0]).toMatchObject({ status: null, error: word, response_body: null });
      await project.api('POST', `/v1/deliveries/${id}/cancel`);
    }
  });

  test('the response of a receiver is kept up to 16 KiB, broken bytes included', async () => {
    receiver.behave((res) => {
      res.writeHead(500, { 'content-type': 'text/plain' });
      res.end(Buffer.concat([Buffer.from([0xff, 0xfe, 0x00]), Buffer.alloc(100_000, 0x61)]));
    });
    const endpoint = await createEndpoint(project, receiver.url);
    const id = await emitOne(service, project, endpoint.id);
    const { attempts } = await untilAttempts(project, id, 1);
    expect(attempts[0]!.response_body).toMatch(/^���a+$/);
    expect(attempts[0]!.response_body!.length).toBe(16 * 1024);
    await project.api('POST', `/v1/deliveries/${id}/cancel`);
  });
}
