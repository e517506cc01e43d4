import { randomUUID } from 'node:crypto';
import { Client, type WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { NativeConnection, Worker } from '@temporalio/worker';
import pino from 'pino';
import { signals } from '../../../src/base/temporal/names';
import { installRuntime } from '../../../src/base/temporal/workers';
import { eventually } from '../../support/eventually';

/** Workflows alone, on the real server: their activities are played by the test. */
export interface WorkflowFixture {
  client: Client;
  taskQueue: string;
  stop(): Promise<void>;
}

export async function startWorkflowFixture(
  activities: Record<string, (...args: never[]) => Promise<unknown>>,
): Promise<WorkflowFixture> {
  await installRuntime(pino({ level: 'silent' }));
  const address = process.env['HERALD_TEST_TEMPORAL_ADDRESS'] ?? '';
  const codePath = process.env['HERALD_TEST_WORKFLOW_BUNDLE'] ?? '';
  const connection = await NativeConnection.connect({ address });
  const taskQueue = `test-workflows-${randomUUID()}`;
  const worker = await Worker.create({ connection, taskQueue, workflowBundle: { codePath }, activities });
  const running = worker.run();
  return {
    client: new Client({ connection }),
    taskQueue,
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}

/** Tells the workflow that its row has changed, once it has shown its `count`th state and so waits. */
export async function changeShown(
  handle: Pick<WorkflowHandle, 'fetchHistory' | 'signal'>,
  count: number,
): Promise<void> {
  const { EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES: shown } = temporal.api.enums.v1.EventType;
  await eventually(async () => {
    const { events } = await handle.fetchHistory();
    return events?.filter(({ eventType }) => eventType === shown).length === count;
  });
  await handle.signal(signals.changed);
}
