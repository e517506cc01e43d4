import { setTimeout as sleep } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { Agent, request } from 'undici';
import { clientOn, createLazyClient } from '../src/temporal/connection';
import { startBareWorker } from './bare-worker';
import type { BenchEnvironment } from './environment';

/** How a bare workflow is started and how its POST is run. */
export interface BareKind {
  start: 'ordinary' | 'eager';
  activity: 'ordinary' | 'eager' | 'local';
}

export interface BareWorkflows {
  /** Starts a workflow that POSTs with this id; resolves when the server has accepted it. */
  start(id: string, path?: string): Promise<void>;
  poke(id: string): Promise<void>;
  stop(): Promise<void>;
}

/** A worker and a client set up as in the SDK's samples, on the same server as the service under test. */
export async function startBareWorkflows(
  bench: BenchEnvironment,
  kind: BareKind,
  receiverUrl: string,
  body: string,
): Promise<BareWorkflows> {
  const taskQueue = `bare-${kind.start}-${kind.activity}`;
  const { temporalAddress } = bench.environment;
  const settings = { ...bench.config, address: temporalAddress };
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const worker = await startBareWorker(bench, {
    taskQueue,
    maxConcurrentActivityTaskExecutions: 200,
    ...(kind.activity === 'ordinary' ? { maxEagerActivityReservationsPerWorkflowTask: 0 } : {}),
    activities: {
      async post(id: string, at: string): Promise<void> {
        const { body: response } = await request(receiverUrl + at, {
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
  const lazy = await createLazyClient(settings);
  const client: Client = kind.start === 'eager' ? clientOn(worker.connection, bench.config) : lazy;
  const workflow = kind.activity === 'local' ? 'bareWithLocalActivity' : 'bareWithActivity';
  return {
    async start(id, at = '/') {
      await client.workflow.start(workflow, {
        taskQueue,
        workflowId: `bare/${id}`,
        args: [id, at],
        ...(kind.start === 'eager' ? { requestEagerStart: true } : {}),
      });
    },
    async poke(id) {
      await lazy.workflow
        .getHandle(`bare/${id}`)
        .signal('poke')
        .catch((error: unknown) => {
          // It has already ended.
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        });
    },
    async stop() {
      // Let the last responses arrive; workflows that still run would time out.
      await sleep(500);
      await worker.stop();
      await lazy.connection.close();
      await agent.close();
    },
  };
}
