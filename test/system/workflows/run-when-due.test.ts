import { randomUUID } from 'node:crypto';
import { temporal } from '@temporalio/proto';
import { signals } from '../../../src/temporal/names';
import type { RowState } from '../../../workflows/run-when-due';
import { eventually } from '../../support/eventually';
import { startWorkflowFixture, type WorkflowFixture } from './fixture';

type Step = RowState | (() => Promise<RowState>);

let fixture: WorkflowFixture;
const steps = new Map<string, Step[]>();
const calls = new Map<string, number>();

async function next(id: string): Promise<RowState> {
  calls.set(id, (calls.get(id) ?? 0) + 1);
  const step = steps.get(id)?.shift() ?? done;
  return typeof step === 'function' ? step() : step;
}

beforeAll(async () => {
  fixture = await startWorkflowFixture({
    fireScheduled: ({ scheduledId }: { scheduledId: string }) => next(scheduledId),
    runRecurring: ({ recurringId }: { recurringId: string }) => next(recurringId),
    advanceEnrolment: ({ enrolmentId }: { enrolmentId: string }) => next(enrolmentId),
  });
});
afterAll(() => fixture?.stop());

const done: RowState = { status: 'ended', nextAt: null, waitMs: 0 };
const waiting = (waitMs: number, nextAt = new Date(Date.now() + waitMs)): RowState => ({
  status: 'active',
  nextAt: nextAt.toISOString(),
  waitMs,
});
const HOUR = 3_600_000;

describe.each(['scheduled', 'recurring', 'drip'])('the workflow %s', (workflow) => {
  async function start(given: Step[]) {
    const id = randomUUID();
    steps.set(id, given);
    const handle = await fixture.client.workflow.start(workflow, {
      taskQueue: fixture.taskQueue,
      workflowId: `${workflow}/${id}`,
      args: [{ scheduledId: id, recurringId: id, enrolmentId: id }],
    });
    return { handle, calls: () => calls.get(id) ?? 0 };
  }

  it('sleeps as long as the database says, although by its own clock the time has come', async () => {
    const begun = Date.now();
    const { handle, calls: made } = await start([waiting(1_000, new Date(begun - HOUR)), done]);
    expect(await handle.result()).toMatchObject({ status: 'ended' });
    expect(Date.now() - begun).toBeGreaterThanOrEqual(1_000);
    expect(made()).toBe(2);
  });

  it('goes on without a timer while something is due', async () => {
    const { handle, calls: made } = await start([waiting(0), waiting(0), done]);
    await handle.result();
    expect(made()).toBe(3);
    const { events = [] } = await handle.fetchHistory();
    const { EVENT_TYPE_TIMER_STARTED } = temporal.api.enums.v1.EventType;
    expect(events?.filter(({ eventType }) => eventType === EVENT_TYPE_TIMER_STARTED)).toEqual([]);
  });

  it('reads the row again when it has changed: at once while it sleeps, and before it ends', async () => {
    const { handle, calls: made } = await start([
      waiting(HOUR),
      async () => {
        await handle.signal(signals.changed);
        return done;
      },
      done,
    ]);
    await eventually(async () => {
      const { events } = await handle.fetchHistory();
      const { EVENT_TYPE_TIMER_STARTED } = temporal.api.enums.v1.EventType;
      return events?.some(({ eventType }) => eventType === EVENT_TYPE_TIMER_STARTED);
    });
    await handle.signal(signals.changed);
    await handle.result();
    expect(made()).toBe(3);
  });
});
