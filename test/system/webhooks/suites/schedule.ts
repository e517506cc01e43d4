import type { WorkflowFailedError } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { tsToMs } from '@temporalio/common/lib/time';
import { retryPolicies } from '../../../../src/domains/webhooks/retry-schedule';
import type { TestProject, TestService } from '../../../support/service';
import {
  createEndpoint,
  emitOne,
  scriptedReceiver,
  untilStatus,
  untilWorkflow,
  workflowOf,
  type ScriptedReceiver,
} from '../fixture';
import { scaleRetries, type RunningLane } from './lane';

/** A second of the schedule takes 0.2 ms: attempts at 0, 6, 24, 120, 720, 4,320 and 17,280 ms. */
const SCALE = 0.0002;

const SHORT_MS = 200;

/** How many milliseconds late the timers of a delivery's workflow fired that were due within 200 ms. */
async function latenessOfShortTimers(service: TestService, id: string): Promise<number[]> {
  const { events } = await workflowOf(service, id).fetchHistory();
  const started = new Map<string, number>();
  return (events ?? []).flatMap(({ eventTime, timerStartedEventAttributes, timerFiredEventAttributes }) => {
    const at = tsToMs(eventTime);
    const wait = timerStartedEventAttributes?.startToFireTimeout;
    const timerId = timerStartedEventAttributes?.timerId ?? timerFiredEventAttributes?.timerId ?? '';
    if (wait && tsToMs(wait) < SHORT_MS) started.set(timerId, at + tsToMs(wait));
    const due = timerFiredEventAttributes ? started.get(timerId) : undefined;
    return due === undefined ? [] : [at - due];
  });
}

/** The whole durable schedule, from the first attempt to the end. */
export function schedule(lane: RunningLane): void {
  let service: TestService;
  let project: TestProject;
  let receiver: ScriptedReceiver;

  scaleRetries(lane, SCALE);
  beforeAll(async () => {
    ({ service } = lane);
    project = await service.createProject();
    receiver = await scriptedReceiver(503);
  });
  afterAll(() => receiver?.close());

  test('a receiver that never recovers gets seven attempts, none early, and then the delivery has failed', async () => {
    const endpoint = await createEndpoint(project, receiver.url, { retry_policy: 'durable' });
    const id = await emitOne(service, project, endpoint.id);
    const delivery = await untilStatus(project, id, 'failed', 50_000);

    const start = Date.parse(delivery.first_attempt_at ?? '');
    const offsets = retryPolicies.durable.offsets.map((offset) => Math.round(offset * SCALE * 1000));
    expect(delivery.attempts.map(({ number, status }) => [number, status])).toEqual(
      offsets.map((_, index) => [index + 1, 503]),
    );
    const lateness: number[] = [];
    for (const [index, { attempted_at }] of delivery.attempts.entries()) {
      const due = index === 0 ? start : Date.parse(delivery.attempts[index - 1]!.next_attempt_at ?? '');
      expect(due - start).toBeGreaterThanOrEqual(offsets[index]!);
      lateness.push(Date.parse(attempted_at) - due);
    }
    expect(Math.min(...lateness)).toBeGreaterThanOrEqual(0);
    // The most punctual retry: the others are as late as the machine is busy with other tests.
    expect(Math.min(...lateness.slice(1))).toBeLessThan(1_000);
    // A place is kept exactly, unless it goes by while an attempt is made: then its distance to that attempt is kept.
    const dues = delivery.attempts.map(({ next_attempt_at }) => next_attempt_at);
    const isExact = (place: number) => Date.parse(dues[place - 1] ?? '') - start === offsets[place];
    for (const place of [1, 2, 3, 4, 5, 6].filter((each) => !isExact(each))) {
      const distance =
        Date.parse(dues[place - 1] ?? '') - Date.parse(delivery.attempts[place - 1]!.attempted_at);
      expect(distance).toBeGreaterThanOrEqual(offsets[place]! - offsets[place - 1]!);
    }
    // These two are far enough away.
    expect([5, 6].filter(isExact)).not.toEqual([]);
    expect(dues[6]).toBeNull();

    expect(delivery).toMatchObject({ attempt_count: 7, last_http_status: 503, next_attempt_at: null });
    expect(receiver.of(id)).toHaveLength(7);
    await untilWorkflow(service, id, 'FAILED');
    const failure = (await workflowOf(service, id)
      .result()
      .catch((error: unknown) => error)) as WorkflowFailedError;
    expect((failure.cause as ApplicationFailure).type).toBe('delivery.exhausted');

    // By the server's own times. A busy machine may leave no short timer, or delay some, but not all of them.
    const late = (await latenessOfShortTimers(service, id)).map((ms) => ms > 400);
    expect(late.length === 0 || late.includes(false)).toBe(true);
  });
}
