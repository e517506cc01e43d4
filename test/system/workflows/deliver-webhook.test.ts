import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { DeliveryRef } from '../../../activities/deliver-webhook';
import type { AfterExpress } from '../../../src/domains/webhooks/workflow-input';
import type { AttemptRequest, DeliveryStep } from '../../../src/domains/webhooks/workflow-lane';
import { searchAttributes, signals, workflowIds } from '../../../src/base/temporal/names';
import { nextAttemptQuery, type deliverWebhook } from '../../../workflows/deliver-webhook';
import { recordHistory } from '../replay/fixture';
import { eventually } from '../../support/eventually';
import { startWorkflowFixture, type WorkflowFixture } from './fixture';

let fixture: WorkflowFixture;

/** What the activity answers, call by call; a function may do something first. */
type Act = DeliveryStep | ((request: AttemptRequest) => Promise<DeliveryStep>);
interface Script {
  acts: Act[];
  requests: AttemptRequest[];
  /** What the attempt inside the workflow task does; without any it finds no free slot. */
  inTask: Act | null;
  cancelled: boolean;
}
const scripts = new Map<string, Script>();

beforeAll(async () => {
  fixture = await startWorkflowFixture({
    async attemptDelivery(request: AttemptRequest): Promise<DeliveryStep> {
      const script = scripts.get(request.deliveryId)!;
      script.requests.push(request);
      const act = script.acts.shift();
      if (!act) throw ApplicationFailure.nonRetryable('the script has ended');
      return typeof act === 'function' ? act(request) : act;
    },
    async attemptFast(request: AttemptRequest): Promise<DeliveryStep | null> {
      const { inTask } = scripts.get(request.deliveryId)!;
      return typeof inTask === 'function' ? inTask(request) : inTask;
    },
    async markCancelled({ deliveryId }: DeliveryRef): Promise<void> {
      scripts.get(deliveryId)!.cancelled = true;
    },
  });
});
afterAll(() => fixture?.stop());

interface Delivery {
  id: string;
  handle: WorkflowHandle<typeof deliverWebhook>;
  numbers(): number[];
  isCancelled(): boolean;
}

async function start(
  acts: Act[],
  attempts = 0,
  { inTask = null, ...more }: { fast?: boolean; afterExpress?: AfterExpress; inTask?: Act | null } = {},
): Promise<Delivery> {
  const id = randomUUID();
  const script: Script = { acts: [...acts], requests: [], inTask, cancelled: false };
  scripts.set(id, script);
  const handle = await fixture.client.workflow.start<typeof deliverWebhook>('deliverWebhook', {
    taskQueue: fixture.taskQueue,
    workflowId: workflowIds.delivery(id),
    args: [{ deliveryId: id, attempts, ...more }],
  });
  return {
    id,
    handle,
    numbers: () => script.requests.map(({ number }) => number),
    isCancelled: () => script.cancelled,
  };
}

const ok = (attempt: number): DeliveryStep => ({
  kind: 'attempted',
  attempt,
  status: 'succeeded',
  failure: null,
  httpStatus: 200,
  error: null,
  nextAttemptAt: null,
});
const fails = (attempt: number, inMs: number): (() => Promise<DeliveryStep>) => {
  return async () => ({
    ...(ok(attempt) as Extract<DeliveryStep, { kind: 'attempted' }>),
    status: 'pending',
    httpStatus: 503,
    nextAttemptAt: Date.now() + inMs,
  });
};
const ends = (attempt: number, failure: 'exhausted' | 'refused'): DeliveryStep => ({
  ...(ok(attempt) as Extract<DeliveryStep, { kind: 'attempted' }>),
  status: 'failed',
  failure,
  httpStatus: failure === 'refused' ? 404 : null,
  error: failure === 'refused' ? null : 'timeout',
});
const cancelled: DeliveryStep = {
  kind: 'ended',
  status: 'cancelled',
  failure: null,
  httpStatus: 503,
  error: null,
};

const HOUR = 3_600_000;

async function shown(delivery: Delivery) {
  const { typedSearchAttributes: all } = await delivery.handle.describe();
  return {
    status: all.get(searchAttributes.DeliveryStatus),
    attempt: all.get(searchAttributes.Attempt),
    httpStatus: all.get(searchAttributes.LastHttpStatus),
    error: all.get(searchAttributes.LastError),
    next: all.get(searchAttributes.NextAttemptAt),
  };
}

async function failureOf(delivery: Delivery): Promise<unknown> {
  const error = await delivery.handle.result().then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(WorkflowFailedError);
  return (error as WorkflowFailedError).cause;
}

test('success at once', async () => {
  const delivery = await start([ok(1)]);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });
  expect(await shown(delivery)).toEqual({});
  await recordHistory(delivery.handle, 'deliver-webhook', 'first-success');
});

test('two failures, then success: each time of the answer is waited for', async () => {
  const delivery = await start([fails(1, 300), fails(2, 300), ok(3)]);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 3 });
  expect(delivery.numbers()).toEqual([1, 2, 3]);
  expect(await shown(delivery)).toEqual({ status: 'succeeded', attempt: 3, httpStatus: 503 });
  await recordHistory(delivery.handle, 'deliver-webhook', 'retried-success');
});

test('a used-up schedule and a refusal end failed, each with its type', async () => {
  const exhausted = await start([fails(1, 1), ends(2, 'exhausted')]);
  expect(await failureOf(exhausted)).toMatchObject({
    type: 'delivery.exhausted',
    message: '2 attempts failed, the last with timeout.',
  });
  expect(await shown(exhausted)).toEqual({ status: 'failed', attempt: 2, error: 'timeout' });
  const refused = await start([ends(1, 'refused')]);
  expect(await failureOf(refused)).toMatchObject({ type: 'delivery.refused' });
  expect(await shown(refused)).toEqual({ status: 'failed', attempt: 1, httpStatus: 404 });
  await recordHistory(exhausted.handle, 'deliver-webhook', 'exhausted');
  await recordHistory(refused.handle, 'deliver-webhook', 'refused');
});

test('signalled while it waits, it reads the row at once; the query tells the next attempt', async () => {
  const delivery = await start([fails(1, HOUR), fails(2, HOUR), ok(3)]);
  await eventually(async () => (await shown(delivery)).attempt === 1);
  const next = await delivery.handle.query(nextAttemptQuery);
  expect(Date.parse(next ?? '') - Date.now()).toBeGreaterThan(HOUR - 60_000);
  await delivery.handle.signal(signals.changed);
  await eventually(async () => (await shown(delivery)).attempt === 2);
  await delivery.handle.signal(signals.changed);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 3 });
  await recordHistory(delivery.handle, 'deliver-webhook', 'woken');
});

test('signalled while its last attempt is being written, it reads the row again before it ends', async () => {
  const delivery: Delivery = await start([
    async () => {
      await delivery.handle.signal(signals.changed);
      return ok(1);
    },
    ok(2),
  ]);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 2 });
  await recordHistory(delivery.handle, 'deliver-webhook', 'changed-at-the-end');
});

test('without a free slot it waits until it is called', async () => {
  const delivery = await start([{ kind: 'busy' }, ok(1)]);
  await eventually(() => delivery.numbers().length === 1);
  await delivery.handle.signal(signals.changed);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });
  expect(delivery.numbers()).toEqual([1, 1]);
  await recordHistory(delivery.handle, 'deliver-webhook', 'queued');
});

test('too early it waits the rest; with a wrong number it takes the right one', async () => {
  const delivery = await start(
    [{ kind: 'superseded', next: 3 }, { kind: 'early', waitMs: 50, nextAttemptAt: Date.now() + 50 }, ok(3)],
    5,
  );
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 3 });
  expect(delivery.numbers()).toEqual([6, 3, 3]);
  await recordHistory(delivery.handle, 'deliver-webhook', 'superseded');
});

const afterExpress = (inMs: number) => ({
  afterExpress: { nextAttemptAt: Date.now() + inMs, httpStatus: 503, error: null },
});

test('after a first attempt of the express lane, it waits until the next attempt is due', async () => {
  const delivery = await start([ok(2)], 1, afterExpress(HOUR));
  await expect(delivery.handle.query(nextAttemptQuery)).resolves.toMatch(/Z$/);
  expect(delivery.numbers()).toEqual([]);
  await delivery.handle.signal(signals.changed);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 2 });
  expect(delivery.numbers()).toEqual([2]);
  await recordHistory(delivery.handle, 'deliver-webhook', 'after-express');
});

test('started late after the express lane, it goes on at once', async () => {
  const delivery = await start([ok(2)], 1, afterExpress(-1_000));
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 2 });
});

test('after attempts of an earlier run, which is gone from the list, a success is shown', async () => {
  const delivery = await start([ok(4)], 3);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 4 });
  expect(await shown(delivery)).toEqual({ status: 'succeeded', attempt: 4 });
  await recordHistory(delivery.handle, 'deliver-webhook', 'success-of-a-later-run');
});

test('a disabled endpoint ends the run as paused, and nothing is shown as retrying', async () => {
  const delivery = await start([fails(1, 1), { kind: 'parked' }]);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'paused', attempts: 1 });
  expect(await shown(delivery)).toEqual({ attempt: 1, httpStatus: 503 });
  await recordHistory(delivery.handle, 'deliver-webhook', 'parked');
});

test('cancelled in its row, it ends', async () => {
  const delivery = await start([fails(1, HOUR), cancelled]);
  await eventually(async () => (await shown(delivery)).attempt === 1);
  await delivery.handle.signal(signals.changed);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'cancelled', attempts: 1 });
  expect(await shown(delivery)).toMatchObject({ status: 'cancelled' });
  await recordHistory(delivery.handle, 'deliver-webhook', 'cancelled');
});

test('cancelled by an operator, it says so in its row first', async () => {
  const delivery = await start([fails(1, HOUR)]);
  await eventually(async () => (await shown(delivery)).attempt === 1);
  await delivery.handle.cancel();
  expect(await failureOf(delivery)).toBeInstanceOf(CancelledFailure);
  expect(delivery.isCancelled()).toBe(true);
  expect(await shown(delivery)).toMatchObject({ status: 'cancelled' });
  await recordHistory(delivery.handle, 'deliver-webhook', 'cancelled-by-operator');
});

test('a fault of our own is tried again and counts as no attempt', async () => {
  const delivery = await start([
    async () => {
      throw new Error('the database is unavailable');
    },
    ok(1),
  ]);
  await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });
  expect(delivery.numbers()).toEqual([1, 1]);
});

describe('with a fast endpoint', () => {
  const kinds = async (delivery: Delivery) =>
    ((await delivery.handle.fetchHistory()).events ?? []).map(
      (event) => Object.keys(event).find((key) => key.endsWith('EventAttributes')) ?? '',
    );

  test('the first attempt is made inside the workflow task: success takes no activity and one task', async () => {
    const delivery = await start([], 0, { fast: true, inTask: ok(1) });
    await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });
    // A task that a busy machine makes late is scheduled again, but completed once.
    const late = /^workflowTask(Scheduled|Started|TimedOut)Event/;
    expect((await kinds(delivery)).filter((kind) => !late.test(kind))).toEqual([
      'workflowExecutionStartedEventAttributes',
      'workflowTaskCompletedEventAttributes',
      'markerRecordedEventAttributes',
      'workflowExecutionCompletedEventAttributes',
    ]);
    await recordHistory(delivery.handle, 'deliver-webhook', 'fast-success');
  });

  test('a failure is followed by ordinary attempts', async () => {
    const delivery = await start([ok(2)], 0, { fast: true, inTask: fails(1, 300) });
    await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 2 });
    expect(delivery.numbers()).toEqual([2]);
    expect(await shown(delivery)).toMatchObject({ status: 'succeeded', attempt: 2, httpStatus: 503 });
    await recordHistory(delivery.handle, 'deliver-webhook', 'fast-failure');
  });

  test('without a free slot, and after a fault of our own, the same attempt is an ordinary one', async () => {
    const full = await start([ok(1)], 0, { fast: true, inTask: null });
    await expect(full.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });
    const faulty = await start([ok(1)], 0, {
      fast: true,
      inTask: () => Promise.reject(new Error('the database is unavailable')),
    });
    await expect(faulty.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });
    expect([full.numbers(), faulty.numbers()]).toEqual([[1], [1]]);
    await recordHistory(full.handle, 'deliver-webhook', 'fast-without-slot');
    await recordHistory(faulty.handle, 'deliver-webhook', 'fast-with-fault');
  });

  test('signalled meanwhile, it reads the row again before it ends', async () => {
    let asked = 0;
    const delivery = await start([], 0, {
      fast: true,
      async inTask({ deliveryId }) {
        asked += 1;
        if (asked === 1) {
          await fixture.client.workflow.getHandle(workflowIds.delivery(deliveryId)).signal(signals.changed);
        }
        return ok(1);
      },
    });
    await expect(delivery.handle.result()).resolves.toEqual({ status: 'succeeded', attempts: 1 });
    // Temporal asks for the attempt again: one that is under way or has a result is not made twice, and its claim
    // reads the row anew.
    expect(asked).toBe(2);
  });
});
