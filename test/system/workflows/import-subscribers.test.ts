import { randomUUID } from 'node:crypto';
import type { ImportProgress, ImportRef } from '../../../activities/import-subscribers';
import { signals, workflowIds } from '../../../src/temporal/names';
import type { importSubscribers } from '../../../workflows/import-subscribers';
import { recordHistory } from '../replay/fixture';
import { startWorkflowFixture, type WorkflowFixture } from './fixture';

let fixture: WorkflowFixture;
const pages = new Map<string, ImportProgress[]>();
beforeAll(async () => {
  fixture = await startWorkflowFixture({
    importPage: async ({ importId }: ImportRef) => pages.get(importId)!.shift(),
  });
});
afterAll(() => fixture?.stop());

test('page after page until the import has completed', async () => {
  const importId = randomUUID();
  const progress = (status: ImportProgress['status'], updated: number) => ({
    status,
    rows: 3,
    updated,
    failed: 1,
  });
  pages.set(importId, [progress('running', 1), progress('completed', 2)]);
  // As the agenda starts it.
  const handle = await fixture.client.workflow.signalWithStart<typeof importSubscribers>(
    'importSubscribers',
    {
      signal: signals.changed,
      taskQueue: fixture.taskQueue,
      workflowId: workflowIds.subscriberImport(importId),
      args: [{ importId }],
    },
  );
  expect(await handle.result()).toEqual({ status: 'completed', rows: 3, updated: 2, failed: 1 });
  expect(pages.get(importId)).toEqual([]);
  await recordHistory(handle, 'import-subscribers', 'completed');
});
