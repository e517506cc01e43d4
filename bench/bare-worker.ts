import path from 'node:path';
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  Worker,
  type WorkerOptions,
} from '@temporalio/worker';
import type { BenchEnvironment } from './environment';

export interface BareWorker {
  connection: NativeConnection;
  stop(): Promise<void>;
}

/** A worker for the workflows of the baselines, set up as in the SDK's samples, on the Temporal server of the service under test. */
export async function startBareWorker(
  { environment }: BenchEnvironment,
  options: Omit<WorkerOptions, 'connection' | 'workflowBundle'>,
): Promise<BareWorker> {
  const connection = await NativeConnection.connect({ address: environment.temporalAddress });
  const worker = await Worker.create({
    connection,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: path.join(__dirname, 'workflows'),
      logger: new DefaultLogger('ERROR'),
    }),
    ...options,
  });
  const running = worker.run();
  return {
    connection,
    async stop() {
      worker.shutdown();
      await running;
      await connection.close();
    },
  };
}
