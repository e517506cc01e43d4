import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import pino from 'pino';
import { installRuntime } from '../../../src/temporal/workers';

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
