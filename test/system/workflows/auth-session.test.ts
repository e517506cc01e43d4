import { randomUUID } from 'node:crypto';
import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { SessionFlow } from '../../../src/domains/login/contract';
import type { SettledSession } from '../../../src/domains/login/decisions';
import { searchAttributes, signals, workflowIds } from '../../../src/base/temporal/names';
import type { AuthSessionInput } from '../../../src/domains/login/workflow-input';
import type { authSession } from '../../../workflows/auth-session';
import { eventually } from '../../support/eventually';
import { recordHistory } from '../replay/fixture';
import { startWorkflowFixture, type WorkflowFixture } from './fixture';

interface Script {
  settled: SettledSession[];
  ends: { status: string; leftMs: number }[];
  /** Calls of showOutcome. */
  shown: number;
  /** Calls of askRecipients, and how many of them fail. */
  asked: number;
  askFails: number;
  showFails: boolean;
  /** The edit inside the workflow task succeeds. */
  editsInTask: boolean;
  /** The local activities fail, as they do while the database is unavailable. */
  failsInTask: boolean;
}

let fixture: WorkflowFixture;
const scripts = new Map<string, Script>();

beforeAll(async () => {
  const scriptOf = ({ sessionId }: { sessionId: string }) => scripts.get(sessionId)!;
  const next = <T>(list: T[]): T => {
    const value = list.shift();
    if (value === undefined) throw ApplicationFailure.nonRetryable('the script has ended');
    return value;
  };
  fixture = await startWorkflowFixture({
    settleSession: async (ref: { sessionId: string }) => next(scriptOf(ref).settled),
    settleAndShow: async (ref: { sessionId: string }) => {
      const { settled, editsInTask, failsInTask } = scriptOf(ref);
      if (failsInTask) throw ApplicationFailure.retryable('the database is unavailable');
      return { ...next(settled), shown: editsInTask };
    },
    expireCode: async (ref: { sessionId: string }) => {
      const { ends, failsInTask } = scriptOf(ref);
      if (failsInTask && activityInfo().isLocal) {
        throw ApplicationFailure.retryable('the database is unavailable');
      }
      return next(ends);
    },
    askRecipients: async (ref: { sessionId: string }) => {
      const script = scriptOf(ref);
      script.asked += 1;
      if (script.asked <= script.askFails) throw ApplicationFailure.retryable('the messenger is unavailable');
    },
    showOutcome: async (ref: { sessionId: string }) => {
      scriptOf(ref).shown += 1;
      if (scriptOf(ref).showFails) throw ApplicationFailure.nonRetryable('the chat is gone');
    },
  });
});
afterAll(() => fixture?.stop());

interface Started {
  handle: WorkflowHandle<typeof authSession>;
  script: Script;
  /** As the bot does it. */
  answer(): Promise<void>;
  /** As a verify does it. */
  redeem(): Promise<void>;
}

/** A session whose end is `waitMs` away, as the API starts it. */
async function start(
  script: Partial<Script>,
  waitMs = 100,
  { flow = 'session' }: { flow?: SessionFlow } = {},
): Promise<Started> {
  const sessionId = randomUUID();
  const whole: Script = {
    settled: [],
    ends: [],
    shown: 0,
    asked: 0,
    askFails: 0,
    showFails: false,
    editsInTask: true,
    failsInTask: false,
    ...script,
  };
  scripts.set(sessionId, whole);
  const options = {
    taskQueue: fixture.taskQueue,
    workflowId: workflowIds.authSession(sessionId),
    args: [{ sessionId, projectId: randomUUID(), flow, waitMs }] as [AuthSessionInput],
    typedSearchAttributes: [{ key: searchAttributes.AuthStatus, value: 'pending' }],
  };
  const handle = await fixture.client.workflow.start<typeof authSession>('authSession', options);
  return {
    handle,
    script: whole,
    async answer() {
      await fixture.client.workflow.signalWithStart<typeof authSession, []>('authSession', {
        ...options,
        workflowIdConflictPolicy: 'USE_EXISTING',
        signal: signals.changed,
      });
    },
    redeem: () => handle.signal(signals.redeemed),
  };
}

/** The timers that the history shows as running, by their summaries. */
async function openTimers(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  const count = (name: 'timerStartedEventAttributes' | 'timerCanceledEventAttributes') =>
    (events ?? []).filter((event) => event[name]).length;
  return count('timerStartedEventAttributes') - count('timerCanceledEventAttributes');
}

/** Without the tasks that a busy machine has timed out: each that was completed has three events. */
async function eventsOf(handle: WorkflowHandle): Promise<number> {
  const { events } = await handle.fetchHistory();
  if (!events) return NaN;
  const ofTasks = /^workflowTask(Scheduled|Started|TimedOut|Completed)EventAttributes$/;
  const others = events.filter((event) => !Object.keys(event).some((key) => ofTasks.test(key)));
  const completed = events.filter((event) => event.workflowTaskCompletedEventAttributes);
  return others.length + 3 * completed.length;
}

const settled = (status: SettledSession['status'], more: Partial<SettledSession> = {}): SettledSession => ({
  status,
  reason: null,
  waitMs: 0,
  codeLifeMs: 0,
  ...more,
});

async function shownStatus(handle: WorkflowHandle): Promise<unknown> {
  return (await handle.describe()).typedSearchAttributes.get(searchAttributes.AuthStatus);
}

/** The statuses that each completed task has set. */
async function upsertsByTask(handle: WorkflowHandle): Promise<string[][]> {
  const { events } = await handle.fetchHistory();
  const tasks = new Map<string, string[]>();
  for (const { upsertWorkflowSearchAttributesEventAttributes: upsert } of events ?? []) {
    const data = upsert?.searchAttributes?.indexedFields?.['AuthStatus']?.data;
    if (!data) continue;
    const task = String(upsert.workflowTaskCompletedEventId);
    const [value] = [JSON.parse(Buffer.from(data).toString())].flat() as string[];
    tasks.set(task, [...(tasks.get(task) ?? []), String(value)]);
  }
  return [...tasks.values()];
}

const HOUR = 3_600_000;

/** Each event is a write of the Temporal server: this is what a login costs there. */
const MOST_EVENTS = 20;

test('confirmed, and the code used before it expires', async () => {
  const { handle, script, answer, redeem } = await start(
    {
      settled: [settled('confirmed', { codeLifeMs: HOUR })],
      ends: [{ status: 'consumed', leftMs: 0 }],
    },
    HOUR,
  );
  // Its wait is visible before anyone answers.
  await eventually(async () => (await openTimers(handle)) === 1);
  expect((await handle.describe()).status.name).toBe('RUNNING');
  await answer();
  // In the task that decides: the list of workflows tells it from a login without an answer.
  await eventually(async () => (await shownStatus(handle)) === 'confirmed');
  expect(await upsertsByTask(handle)).toEqual([['confirmed']]);
  expect(script.settled).toEqual([]);
  await redeem();
  expect(await handle.result()).toEqual({ status: 'consumed', reason: 'the code was used' });
  expect(script.shown).toBe(0);
  expect(await shownStatus(handle)).toBe('consumed');
  expect(await eventsOf(handle)).toBeLessThanOrEqual(MOST_EVENTS);
  await recordHistory(handle, 'auth-session', 'consumed');
});

test('a redemption whose signal is lost ends with the code', async () => {
  const { handle, answer } = await start(
    { settled: [settled('confirmed', { codeLifeMs: 300 })], ends: [{ status: 'consumed', leftMs: 0 }] },
    HOUR,
  );
  await answer();
  expect(await handle.result()).toEqual({ status: 'consumed', reason: 'the code was used' });
  await recordHistory(handle, 'auth-session', 'redeemed-unseen');
});

test('a signal without a redemption ends nothing', async () => {
  const { handle, script, answer, redeem } = await start(
    {
      settled: [settled('confirmed', { codeLifeMs: HOUR })],
      ends: [
        { status: 'confirmed', leftMs: 200 },
        { status: 'expired', leftMs: 0 },
      ],
    },
    HOUR,
  );
  await answer();
  await eventually(() => Promise.resolve(script.settled.length === 0));
  await redeem();
  expect(await handle.result()).toEqual({ status: 'expired', reason: 'the code was not used in time' });
});

test('confirmed, and the code never used', async () => {
  const { handle, answer } = await start(
    {
      settled: [settled('confirmed', { codeLifeMs: 200 })],
      ends: [{ status: 'expired', leftMs: 0 }],
    },
    HOUR,
  );
  await answer();
  expect(await handle.result()).toEqual({ status: 'expired', reason: 'the code was not used in time' });
  expect(await shownStatus(handle)).toBe('expired');
  expect(await eventsOf(handle)).toBeLessThanOrEqual(MOST_EVENTS);
  await recordHistory(handle, 'auth-session', 'code-expired');
});

test('the database has the last word about the end of a code', async () => {
  const { handle, script, answer } = await start(
    {
      settled: [settled('confirmed', { codeLifeMs: 200 })],
      ends: [
        { status: 'confirmed', leftMs: 200 },
        { status: 'expired', leftMs: 0 },
      ],
    },
    HOUR,
  );
  await answer();
  expect(await handle.result()).toEqual({ status: 'expired', reason: 'the code was not used in time' });
  expect(script.ends).toEqual([]);
  await recordHistory(handle, 'auth-session', 'code-extended');
});

test('declined', async () => {
  const { handle, script, answer } = await start(
    { settled: [settled('declined', { reason: 'user' })] },
    HOUR,
  );
  await answer();
  expect(await handle.result()).toEqual({ status: 'declined', reason: 'user' });
  expect(script.shown).toBe(0);
  expect(await shownStatus(handle)).toBe('declined');
  await recordHistory(handle, 'auth-session', 'declined');
});

test('expired without an answer, although the database gave it a little longer', async () => {
  const { handle, script } = await start({
    settled: [settled('pending', { waitMs: 200 }), settled('expired')],
  });
  expect(await handle.result()).toEqual({ status: 'expired', reason: 'not answered in time' });
  expect(script.shown).toBe(0);
  expect(await shownStatus(handle)).toBe('expired');
  await recordHistory(handle, 'auth-session', 'expired');
});

test('a repeated signal decides nothing twice', async () => {
  const { handle, script, answer } = await start(
    { settled: [settled('confirmed', { codeLifeMs: 300 })], ends: [{ status: 'consumed', leftMs: 0 }] },
    HOUR,
  );
  await answer();
  await answer();
  expect(await handle.result()).toMatchObject({ status: 'consumed' });
  expect(script).toMatchObject({ settled: [], ends: [] });
});

test('a message that is not edited in the task is edited by an activity with retries', async () => {
  const { handle, script, answer } = await start(
    {
      settled: [settled('confirmed', { codeLifeMs: 200 })],
      ends: [{ status: 'consumed', leftMs: 0 }],
      editsInTask: false,
    },
    HOUR,
  );
  await answer();
  expect(await handle.result()).toMatchObject({ status: 'consumed' });
  expect(script.shown).toBe(1);
  await recordHistory(handle, 'auth-session', 'shown-by-activity');
});

test('a message that cannot be edited does not hold the login up; it is tried once more at the end', async () => {
  const { handle, script, answer } = await start(
    {
      settled: [settled('confirmed', { codeLifeMs: 200 })],
      ends: [{ status: 'consumed', leftMs: 0 }],
      editsInTask: false,
      showFails: true,
    },
    HOUR,
  );
  await answer();
  expect(await handle.result()).toMatchObject({ status: 'consumed' });
  expect(script.shown).toBe(2);
  await recordHistory(handle, 'auth-session', 'outcome-at-the-end');
});

test('while the database is unavailable, activities with retries take over from the workflow task', async () => {
  const { handle, script, answer } = await start(
    {
      settled: [settled('confirmed', { codeLifeMs: 200 })],
      ends: [{ status: 'expired', leftMs: 0 }],
      failsInTask: true,
    },
    HOUR,
  );
  await answer();
  expect(await handle.result()).toEqual({ status: 'expired', reason: 'the code was not used in time' });
  expect(script.shown).toBe(1);
  await recordHistory(handle, 'auth-session', 'failed');
});

describe('an approval', () => {
  const push = { flow: 'push' } as const;
  /** Its result is in the history: one that came while an answer is being settled would have it settled again. */
  const asked = ({ handle }: Started) =>
    eventually(async () => {
      const { events } = await handle.fetchHistory();
      return events?.some(({ activityTaskCompletedEventAttributes: completed }) => completed);
    });

  test('is asked at once, and ends with Yes', async () => {
    const started = await start({ settled: [settled('consumed')] }, HOUR, push);
    const { handle, answer } = started;
    await asked(started);
    await answer();
    expect(await handle.result()).toEqual({ status: 'consumed', reason: 'confirmed' });
    expect(await shownStatus(handle)).toBe('consumed');
    await recordHistory(handle, 'auth-session', 'push-approved');
  });

  test('with the purpose login has a code, which expires', async () => {
    const started = await start(
      {
        settled: [settled('confirmed', { codeLifeMs: 200 })],
        ends: [{ status: 'consumed', leftMs: 0 }],
      },
      HOUR,
      push,
    );
    const { handle, answer } = started;
    await asked(started);
    await answer();
    expect(await handle.result()).toEqual({ status: 'consumed', reason: 'the code was used' });
    await recordHistory(handle, 'auth-session', 'push-login');
  });

  test('expires by the time of its row', async () => {
    const { handle, script } = await start(
      { settled: [settled('pending', { waitMs: 200 }), settled('expired')] },
      1_000,
      push,
    );
    expect(await handle.result()).toEqual({ status: 'expired', reason: 'not answered in time' });
    expect(script.asked).toBe(1);
    await recordHistory(handle, 'auth-session', 'push-expired');
  });

  test('is decided while another subscriber cannot be asked yet', async () => {
    const { handle, answer } = await start(
      { settled: [settled('declined', { reason: 'user' })], askFails: 1000 },
      HOUR,
      push,
    );
    await answer();
    expect(await handle.result()).toEqual({ status: 'declined', reason: 'user' });
    await recordHistory(handle, 'auth-session', 'push-declined-while-asking');
  });

  test('is asked again until the messenger takes the question', async () => {
    const started = await start({ settled: [settled('consumed')], askFails: 1 }, HOUR, push);
    const { handle, script, answer } = started;
    await asked(started);
    expect(script.asked).toBe(2);
    await answer();
    expect(await handle.result()).toMatchObject({ status: 'consumed' });
    await recordHistory(handle, 'auth-session', 'push-asked-again');
  });
});
