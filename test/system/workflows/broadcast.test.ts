import { randomUUID } from 'node:crypto';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { BroadcastRef, BroadcastState } from '../../../activities/broadcast';
import { workflowIds } from '../../../src/base/temporal/names';
import type { broadcast } from '../../../workflows/broadcast';
import { recordHistory } from '../replay/fixture';
import { eventually } from '../../support/eventually';
import { startWorkflowFixture, type WorkflowFixture } from './fixture';

interface Script {
  pages: BroadcastState[];
  ends: BroadcastState[];
  cancelled: boolean;
  asked: number;
}

let fixture: WorkflowFixture;
const scripts = new Map<string, Script>();

beforeAll(async () => {
  const scriptOf = ({ jobId }: BroadcastRef) => scripts.get(jobId)!;
  fixture = await startWorkflowFixture({
    sendPage: async (ref: BroadcastRef) => {
      scriptOf(ref).asked += 1;
      const page = scriptOf(ref).pages.shift();
      if (!page) throw ApplicationFailure.nonRetryable('the script has ended');
      return page;
    },
    finishBroadcast: async (ref: BroadcastRef) => scriptOf(ref).ends.shift(),
    cancelBroadcast: async (ref: BroadcastRef) => {
      scriptOf(ref).cancelled = true;
    },
  });
});
afterAll(() => fixture?.stop());

const end = (status: BroadcastState['status'], sent: number): BroadcastState => ({
  status,
  sent,
  failed: 0,
  skipped: 0,
  total: 3,
  progress: null,
  nextAt: null,
  waitMs: 0,
});
const page = (sent: number, hasMore: boolean): BroadcastState => ({
  ...end('running', sent),
  nextAt: hasMore ? new Date().toISOString() : null,
});
/** Another run has taken the broadcast over and may still send. */
const notYet = (sent: number): BroadcastState => ({ ...page(sent, true), waitMs: 1_000 });

async function start(pages: BroadcastState[], ends: BroadcastState[]) {
  const jobId = randomUUID();
  const script: Script = { pages, ends, cancelled: false, asked: 0 };
  scripts.set(jobId, script);
  const handle: WorkflowHandle<typeof broadcast> = await fixture.client.workflow.start<typeof broadcast>(
    'broadcast',
    {
      taskQueue: fixture.taskQueue,
      workflowId: workflowIds.broadcast(jobId),
      args: [{ jobId }],
    },
  );
  return { handle, script };
}

test('page after page until nothing is left', async () => {
  const { handle, script } = await start([page(1, true), page(3, false)], [end('completed', 3)]);
  expect(await handle.result()).toMatchObject({ status: 'completed', sent: 3 });
  expect(script.asked).toBe(2);
  await recordHistory(handle, 'broadcast', 'completed');
});

test('cancelled by the project: the next page finds it and the end says so', async () => {
  const { handle } = await start([page(1, true), page(1, false)], [end('cancelled', 1)]);
  expect(await handle.result()).toMatchObject({ status: 'cancelled' });
  await recordHistory(handle, 'broadcast', 'cancelled');
});

test('an end that another run is still writing is checked again', async () => {
  const { handle } = await start([page(3, false), page(3, false)], [notYet(3), end('completed', 3)]);
  expect(await handle.result()).toMatchObject({ status: 'completed' });
  await recordHistory(handle, 'broadcast', 'checked-again');
});

test('parked while its project may not send', async () => {
  const { handle, script } = await start([page(1, true), end('parked', 1)], []);
  expect(await handle.result()).toMatchObject({ status: 'parked', sent: 1 });
  expect(script.asked).toBe(2);
  await recordHistory(handle, 'broadcast', 'parked');
});

test('cancelled in the Temporal UI: its row says so', async () => {
  // It asks every second until the cancel arrives.
  const { handle, script } = await start(
    Array.from({ length: 100 }, () => page(1, false)),
    Array.from({ length: 100 }, () => notYet(1)),
  );
  await eventually(() => script.asked >= 1);
  await handle.cancel();
  const error = await handle.result().catch((failure: unknown) => failure);
  expect(error).toBeInstanceOf(WorkflowFailedError);
  expect((error as WorkflowFailedError).cause).toBeInstanceOf(CancelledFailure);
  expect(script.cancelled).toBe(true);
  await recordHistory(handle, 'broadcast', 'cancelled-by-operator');
});
