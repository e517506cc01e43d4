import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import type { RowInput, RowState } from '../../../src/base/agenda';
import { signals } from '../../../src/base/temporal/names';
import type { row } from '../../../workflows/row';
import { recordHistory } from '../replay/fixture';
import { changeShown, startWorkflowFixture, type WorkflowFixture } from './fixture';

type Step = RowState | (() => Promise<RowState>);

const kinds = ['drip', 'form', 'importSubscribers', 'recurring', 'scheduled', 'ticket'] as const;
type KindName = (typeof kinds)[number];

let fixture: WorkflowFixture;
const steps = new Map<string, Step[]>();
/** The activities that the workflow of a row has called. */
const called = new Map<string, string[]>();

const activity =
  (kind: string) =>
  async ({ id }: RowInput): Promise<RowState> => {
    called.get(id)!.push(kind);
    const step = steps.get(id)!.shift()!;
    return typeof step === 'function' ? step() : step;
  };

beforeAll(async () => {
  fixture = await startWorkflowFixture(Object.fromEntries(kinds.map((kind) => [kind, activity(kind)])));
});
afterAll(() => fixture?.stop());

const HOUR = 3_600_000;
const ended: RowState = { status: 'ended', progress: null, nextAt: null, waitMs: 0 };
const waiting = (waitMs: number, nextAt = new Date(Date.now() + waitMs)): RowState => ({
  status: 'active',
  progress: 'step b',
  nextAt: nextAt.toISOString(),
  waitMs,
});

async function start(kind: KindName, given: Step[]) {
  const id = randomUUID();
  steps.set(id, given);
  called.set(id, []);
  // As the agenda starts it.
  const handle = await fixture.client.workflow.signalWithStart<typeof row>(kind, {
    taskQueue: fixture.taskQueue,
    workflowId: `${kind}/${id}`,
    args: [{ id }],
    signal: signals.changed,
  });
  return { handle, calls: () => called.get(id)!, left: () => steps.get(id)! };
}

it.each(kinds)(
  'the workflow %s sleeps as long as the database says, although its time seems past',
  async (kind) => {
    const begun = Date.now();
    const { handle, calls } = await start(kind, [waiting(1_000, new Date(begun - HOUR)), ended]);
    expect(await handle.result()).toEqual(ended);
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_000);
    expect(calls()).toEqual([kind, kind]);
  },
);

it('goes on without a timer while something is due', async () => {
  const { handle, left } = await start('drip', [waiting(0), waiting(0), ended]);
  await handle.result();
  expect(left()).toEqual([]);
  const { events = [] } = await handle.fetchHistory();
  const { EVENT_TYPE_TIMER_STARTED } = temporal.api.enums.v1.EventType;
  expect(events?.filter(({ eventType }) => eventType === EVENT_TYPE_TIMER_STARTED)).toEqual([]);
});

it('reads the row again when it has changed: at once while it sleeps, and before it ends', async () => {
  const { handle, left } = await start('scheduled', [
    waiting(HOUR),
    async () => {
      await handle.signal(signals.changed);
      return ended;
    },
    ended,
  ]);
  await changeShown(handle, 1);
  expect(await handle.result()).toEqual(ended);
  expect(left()).toEqual([]);
  await recordHistory(handle, 'scheduled', 'changed-at-the-end');
});

it('does what is due again after a fault of our own', async () => {
  const { handle, left } = await start('form', [
    () => Promise.reject(ApplicationFailure.retryable('a fault')),
    waiting(1_000),
    ended,
  ]);
  expect(await handle.result()).toEqual(ended);
  expect(left()).toEqual([]);
  await recordHistory(handle, 'form', 'own-fault');
});

it('ends while nothing is due, and starts again with the next change', async () => {
  const { handle } = await start('ticket', [ended]);
  await handle.result();
  const id = handle.workflowId.slice('ticket/'.length);
  steps.set(id, [waiting(1_000), ended]);
  const again = await fixture.client.workflow.signalWithStart<typeof row>('ticket', {
    taskQueue: fixture.taskQueue,
    workflowId: handle.workflowId,
    args: [{ id }],
    signal: signals.changed,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
  });
  await again.result();
  expect(called.get(id)).toEqual(['ticket', 'ticket', 'ticket']);
});
