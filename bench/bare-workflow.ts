import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { createLazyClient } from '../src/base/temporal/connection';
import { startBareWorker } from './bare-worker';
import type { BenchEnvironment } from './environment';

/** How the activity of a bare workflow is dispatched. */
export type BareKind = 'ordinary' | 'eager';

export interface BareWorkflows {
  /** Starts a workflow that POSTs with this id; resolves when the server has accepted it. */
  start(id: string): Promise<void>;
  stop(): Promise<void>;
}

/** A worker and a client set up as in the SDK's samples, on the same server as the service under test. */
export async function startBareWorkflows(
  bench: BenchEnvironment,
  kind: BareKind,
  receiverUrl: string,
  body: string,
): Promise<BareWorkflows> {
  const taskQueue = `bare-${kind}`;
  const { temporalAddress } = bench.environment;
  const settings = { ...bench.config, address: temporalAddress };
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const worker = await startBareWorker(bench, {
    taskQueue,
    maxConcurrentActivityTaskExecutions: 200,
    ...(kind === 'ordinary' ? { maxEagerActivityReservationsPerWorkflowTask: 0 } : {}),
    activities: {
      async post(id: string): Promise<void> {
        const { body: response } = await request(receiverUrl, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-service-delivery-id': id },
          body,
          dispatcher: agent,
          signal: AbortSignal.timeout(10_000),
        });
        await response.dump();
      },
    },
  });
  const client = await createLazyClient(settings);
  return {
    async start(id) {
      await client.workflow.start('bareWithActivity', {
        taskQueue,
        workflowId: `bare/${id}`,
        args: [id],
      });
    },
    async stop() {
      // Let the last responses arrive; workflows that still run would time out.
      await sleep(500);
      await worker.stop();
      await client.connection.close();
      await agent.close();
    },
  };
}
