import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { FormRef, FormState } from '../../../activities/form';
import { signals, workflowIds } from '../../../src/temporal/names';
import type { form } from '../../../workflows/form';
import { recordHistory } from '../replay/fixture';
import { changeShown, startWorkflowFixture, type WorkflowFixture } from './fixture';

type Step = FormState | Error;

let fixture: WorkflowFixture;
const steps = new Map<string, Step[]>();

beforeAll(async () => {
  fixture = await startWorkflowFixture({
    runRoutes: async ({ submissionId }: FormRef) => {
      const step = steps.get(submissionId)!.shift();
      if (step instanceof Error) throw step;
      return step;
    },
  });
});
afterAll(() => fixture?.stop());

const ended = (status: FormState['status']): FormState => ({ status, route: null, nextAt: null, waitMs: 0 });
const unavailable = (route: number, waitMs = 1_000): FormState => ({
  status: 'running',
  route,
  nextAt: new Date(Date.now() + waitMs).toISOString(),
  waitMs,
});

async function start(given: Step[]) {
  const submissionId = randomUUID();
  steps.set(submissionId, given);
  // As the relay starts it.
  const handle = await fixture.client.workflow.signalWithStart<typeof form>('form', {
    taskQueue: fixture.taskQueue,
    workflowId: workflowIds.form(submissionId),
    args: [{ submissionId }],
    signal: signals.changed,
  });
  return { handle, left: () => steps.get(submissionId) };
}

test('all routes at once', async () => {
  const { handle } = await start([ended('done')]);
  expect(await handle.result()).toEqual(ended('done'));
  await recordHistory(handle, 'form', 'done');
});

test('goes on at the route whose messenger was unavailable', async () => {
  const { handle, left } = await start([unavailable(1), unavailable(2), ended('done')]);
  expect(await handle.result()).toEqual(ended('done'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'form', 'messenger-unavailable');
});

test('a fault of our own runs the routes that have not run again', async () => {
  const { handle, left } = await start([ApplicationFailure.retryable('a fault'), ended('done')]);
  expect(await handle.result()).toEqual(ended('done'));
  expect(left()).toEqual([]);
  await recordHistory(handle, 'form', 'own-fault');
});

test('deleted while it waits', async () => {
  const { handle } = await start([unavailable(0, 15 * 60_000), ended('deleted')]);
  await changeShown(handle, 1);
  expect(await handle.result()).toEqual(ended('deleted'));
  await recordHistory(handle, 'form', 'deleted');
});
