import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  patched,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type {
  AttemptRequest,
  DeliveryActivities,
  DeliveryEnd,
  DeliveryStep,
} from '../activities/deliver-webhook';
import { searchAttributes, signals } from '../src/temporal/names';
import { retryingAttributes, type LastAttempt } from '../src/webhooks/retrying-attributes';

/** "Look at your row": a retry was asked for, the delivery was cancelled, or a slot of the endpoint is free. */
export const lookSignal = defineSignal(signals.look);
/** ISO time of the next attempt, or null. */
export const nextAttemptQuery = defineQuery<string | null>('nextAttempt');

/** Built from the delivery's row, for every kind of start. */
export interface DeliverWebhookInput {
  deliveryId: string;
  /** Attempts made before this run. */
  attempts: number;
  /** Milliseconds in a second of the schedule: 1,000 except in tests. */
  unitMs: number;
  /** The endpoint was quick when last heard of: the first attempt of this run may be made inside a workflow task. */
  quick?: boolean;
  /** The express lane made the first attempt, and the next one has its time: nothing is to be done before it. */
  handedOver?: HandedOver;
}

export interface HandedOver extends LastAttempt {
  nextAttemptAt: number;
}

export interface DeliveryResult {
  status: 'succeeded' | 'cancelled' | 'paused';
  attempts: number;
}

/** The relay calls when a slot is free; this only bounds the wait if it could not. */
const QUEUE_WAIT_MS = { first: 60_000, most: 600_000 };

const { attemptDelivery, markCancelled } = proxyActivities<DeliveryActivities>({
  // Ten seconds are the receiver's; the rest is ours.
  startToCloseTimeout: '25 seconds',
  // What the receiver does is a result. Only faults of our own throw, and those pass.
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

/** At once or not at all: whatever goes wrong, the ordinary activity is made, and that is the same attempt. */
const { attemptAtOnce } = proxyLocalActivities<DeliveryActivities>({
  startToCloseTimeout: '25 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * One delivery: the clock and the hand. The row in Postgres is the truth; each step claims the next attempt there
 * and says what to wait for.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryResult> {
  let told = false;
  let nextAttemptAt: number | null = null;
  setHandler(lookSignal, () => {
    told = true;
  });
  setHandler(nextAttemptQuery, () => (nextAttemptAt === null ? null : isoTime(nextAttemptAt)));

  let number = input.attempts + 1;
  let atOnce = input.quick === true;
  let queueWaitMs = QUEUE_WAIT_MS.first;
  try {
    // Patched: while a new build rolls out, its relay starts runs that a worker of the old one begins.
    if (input.handedOver && patched('wait-when-handed-over')) {
      nextAttemptAt = input.handedOver.nextAttemptAt;
      // The start has told the UI's list.
      detailRetrying(input.attempts, input.handedOver, nextAttemptAt);
      await condition(() => told, Math.max(1, nextAttemptAt - Date.now()), { summary: `attempt ${number}` });
      nextAttemptAt = null;
    }
    for (;;) {
      told = false;
      const request = { deliveryId: input.deliveryId, number, unitMs: input.unitMs };
      const step =
        (atOnce ? await quickly(request) : null) ??
        (await attemptDelivery.executeWithOptions({ summary: `attempt ${number}` }, [request]));
      atOnce = false;
      let waitMs = 0;
      let waitsFor = `attempt ${number}`;
      switch (step.kind) {
        case 'attempted':
          number = step.attempt + 1;
          if (step.status !== 'pending') {
            // A request that came while the end was being written must not fall between.
            if (told) continue;
            return conclude(step, step.attempt);
          }
          nextAttemptAt = step.nextAttemptAt;
          showRetrying(step.attempt, step, nextAttemptAt);
          waitMs = (nextAttemptAt ?? 0) - Date.now();
          waitsFor = `attempt ${number}`;
          break;
        case 'superseded':
          number = step.next;
          continue;
        case 'early':
          waitMs = step.waitMs;
          // Runs that began before `handedOver`: the UI's list must show how the delivery stands.
          if (number > 1 && !hasShown() && patched('show-handed-over')) {
            nextAttemptAt = step.nextAttemptAt;
            showRetrying(number - 1, step, nextAttemptAt);
          }
          break;
        case 'busy':
          waitMs = queueWaitMs;
          waitsFor = 'a free slot of the endpoint';
          queueWaitMs = Math.min(queueWaitMs * 2, QUEUE_WAIT_MS.most);
          break;
        case 'parked':
          if (told) continue;
          return park(number - 1);
        case 'ended':
          if (told) continue;
          return conclude(step, number - 1);
      }
      if (told || waitMs < 1) continue;
      if (workflowInfo().continueAsNewSuggested) {
        const { deliveryId, unitMs } = input;
        await continueAsNew<typeof deliverWebhook>({ deliveryId, attempts: number - 1, unitMs });
      }
      await condition(() => told, waitMs, { summary: waitsFor });
      nextAttemptAt = null;
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => markCancelled(input.deliveryId));
    upsertSearchAttributes([{ key: searchAttributes.DeliveryStatus, value: 'cancelled' }]);
    throw error;
  }
}

async function quickly(request: AttemptRequest): Promise<DeliveryStep | null> {
  try {
    return await attemptAtOnce(request);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
}

/** From the first failure on, the UI's list shows how a delivery stands. A first success costs no such write. */
function showRetrying(attempt: number, last: LastAttempt, next: number | null): void {
  upsertSearchAttributes(retryingAttributes(attempt, last, next));
  detailRetrying(attempt, last, next);
}

function detailRetrying(attempt: number, { httpStatus, error }: LastAttempt, next: number | null): void {
  const when = next === null ? 'now' : isoTime(next);
  setCurrentDetails(`Attempt ${attempt} failed: ${describe(httpStatus, error)}. Next attempt: ${when}.`);
}

function conclude(end: DeliveryEnd, attempts: number): DeliveryResult {
  if (end.status === 'succeeded' || end.status === 'cancelled') {
    if (hasShown()) {
      upsertSearchAttributes([
        { key: searchAttributes.DeliveryStatus, value: end.status },
        { key: searchAttributes.Attempt, value: attempts },
        { key: searchAttributes.NextAttemptAt, value: null },
      ]);
    }
    setCurrentDetails(`The delivery has ${end.status === 'succeeded' ? 'succeeded' : 'been cancelled'}.`);
    return { status: end.status, attempts };
  }
  upsertSearchAttributes([
    { key: searchAttributes.DeliveryStatus, value: 'failed' },
    { key: searchAttributes.Attempt, value: attempts },
    { key: searchAttributes.LastHttpStatus, value: end.httpStatus },
    { key: searchAttributes.LastError, value: end.error },
    { key: searchAttributes.NextAttemptAt, value: null },
  ]);
  const last = describe(end.httpStatus, end.error);
  // Failed, so that the UI's list of failed workflows is the list of what needs a person.
  throw end.failure === 'refused'
    ? ApplicationFailure.nonRetryable(`The receiver refused it (${last}).`, 'delivery.refused')
    : ApplicationFailure.nonRetryable(
        `${attempts} attempts failed, the last with ${last}.`,
        'delivery.exhausted',
      );
}

/** The endpoint is disabled: nobody retries until it is enabled, and then the relay starts another run. */
function park(attempts: number): DeliveryResult {
  if (hasShown()) {
    upsertSearchAttributes([
      { key: searchAttributes.DeliveryStatus, value: null },
      { key: searchAttributes.NextAttemptAt, value: null },
    ]);
  }
  setCurrentDetails('The endpoint is disabled. The delivery goes on when it is enabled.');
  return { status: 'paused', attempts };
}

/** Whether the delivery has a status in the UI's list yet. */
function hasShown(): boolean {
  return workflowInfo().typedSearchAttributes.get(searchAttributes.DeliveryStatus) !== undefined;
}

function describe(httpStatus: number | null, error: string | null): string {
  return error ?? `status ${httpStatus}`;
}

function isoTime(time: number): string {
  return new Date(time).toISOString();
}
