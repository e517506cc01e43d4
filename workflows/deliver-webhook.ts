import {
  ApplicationFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  isCancellation,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { DeliveryActivities } from '../activities/deliver-webhook';
import { searchAttributes, signals } from '../src/base/temporal/names';
import { retryingAttributes, type LastAttempt } from '../src/domains/webhooks/retrying-attributes';
import type { DeliverWebhookInput } from '../src/domains/webhooks/workflow-input';
import type { AttemptRequest, DeliveryEnd, DeliveryStep } from '../src/domains/webhooks/workflow-lane';
import { OWN_FAULT_RETRY } from './own-fault-retry';

/** The row has changed: a retry was requested, the delivery was cancelled, or a slot of the endpoint was claimed for it. */
const changed = defineSignal(signals.changed);
/** ISO time of the next attempt, or null. */
export const nextAttemptQuery = defineQuery<string | null>('nextAttempt');

export interface DeliveryResult {
  status: 'succeeded' | 'cancelled' | 'paused';
  attempts: number;
}

/** The relay signals when a slot is free; this bounds the wait if the signal is lost. */
const QUEUE_WAIT_MS = { first: 60_000, most: 600_000 };

const { attemptDelivery, markCancelled } = proxyActivities<DeliveryActivities>({
  // The receiver has ten seconds; the rest is for our own part.
  startToCloseTimeout: '25 seconds',
  // What the receiver does is a result. Only our own faults throw, and they pass.
  retry: OWN_FAULT_RETRY,
});

/** One try: if anything goes wrong, the ordinary activity makes the same attempt. */
const { attemptFast } = proxyLocalActivities<DeliveryActivities>({
  startToCloseTimeout: '25 seconds',
  retry: { maximumAttempts: 1 },
});

/**
 * One delivery. The row in Postgres holds its state; each step claims the next attempt there and returns what to wait
 * for.
 */
export async function deliverWebhook(input: DeliverWebhookInput): Promise<DeliveryResult> {
  let signalled = false;
  let nextAttemptAt: number | null = null;
  setHandler(changed, () => {
    signalled = true;
  });
  setHandler(nextAttemptQuery, () => (nextAttemptAt === null ? null : isoTime(nextAttemptAt)));

  let number = input.attempts + 1;
  let isFast = input.fast === true;
  let queueWaitMs = QUEUE_WAIT_MS.first;
  try {
    if (input.afterExpress) {
      nextAttemptAt = input.afterExpress.nextAttemptAt;
      // The start has set the search attributes.
      detailRetrying(input.attempts, input.afterExpress, nextAttemptAt);
      await condition(() => signalled, Math.max(1, nextAttemptAt - Date.now()), {
        summary: `wait for attempt ${number}`,
      });
      nextAttemptAt = null;
    }
    for (;;) {
      signalled = false;
      const request = { deliveryId: input.deliveryId, number };
      const step =
        (isFast ? await attemptInTask(request) : null) ??
        (await attemptDelivery.executeWithOptions({ summary: `attempt ${number}` }, [request]));
      isFast = false;
      let waitMs = 0;
      let waitsFor = `wait for attempt ${number}`;
      switch (step.kind) {
        case 'attempted':
          number = step.attempt + 1;
          if (step.status !== 'pending') {
            // A retry that was requested while the end was being written must not be missed.
            if (signalled) continue;
            return conclude(step, step.attempt);
          }
          nextAttemptAt = step.nextAttemptAt;
          showRetrying(step.attempt, step, nextAttemptAt);
          waitMs = (nextAttemptAt ?? 0) - Date.now();
          waitsFor = `wait for attempt ${number}`;
          break;
        case 'superseded':
          number = step.next;
          continue;
        case 'early':
          nextAttemptAt = step.nextAttemptAt;
          waitMs = step.waitMs;
          break;
        case 'busy':
          waitMs = queueWaitMs;
          waitsFor = 'wait for a free slot of the endpoint';
          queueWaitMs = Math.min(queueWaitMs * 2, QUEUE_WAIT_MS.most);
          break;
        case 'parked':
          if (signalled) continue;
          return park(number - 1);
        case 'ended':
          if (signalled) continue;
          return conclude(step, number - 1);
      }
      if (signalled || waitMs < 1) continue;
      if (workflowInfo().continueAsNewSuggested) {
        const { deliveryId } = input;
        await continueAsNew<typeof deliverWebhook>({ deliveryId, attempts: number - 1 });
      }
      await condition(() => signalled, waitMs, { summary: waitsFor });
      nextAttemptAt = null;
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    const { deliveryId } = input;
    await CancellationScope.nonCancellable(() => markCancelled({ deliveryId }));
    upsertSearchAttributes([{ key: searchAttributes.DeliveryStatus, value: 'cancelled' }]);
    throw error;
  }
}

async function attemptInTask(request: AttemptRequest): Promise<DeliveryStep | null> {
  try {
    return await attemptFast(request);
  } catch (error) {
    if (isCancellation(error)) throw error;
    return null;
  }
}

/** From the first failure on, the UI's list shows the state of a delivery. A first success writes no attributes. */
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
    // Attempts of earlier runs count: their failures were shown, and their run is gone from the list.
    if (hasShown() || attempts > 1) {
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

/** The endpoint is disabled: this run ends, and the relay starts another one when the endpoint is enabled. */
function park(attempts: number): DeliveryResult {
  if (hasShown()) {
    upsertSearchAttributes([
      { key: searchAttributes.DeliveryStatus, value: null },
      { key: searchAttributes.NextAttemptAt, value: null },
    ]);
  }
  setCurrentDetails('The endpoint is disabled. The delivery resumes when it is enabled.');
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
