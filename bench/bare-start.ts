import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Router from '@koa/router';
import Koa from 'koa';
import { createLazyClient } from '../src/base/temporal/connection';
import { startBareWorker } from './bare-worker';
import type { BenchEnvironment } from './environment';

export interface BareStarts {
  url: string;
  /** Resolves when every started workflow has run its first task, so that none is left for the next measurement. */
  drained(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The baseline of session creation: `POST /start` starts a workflow that waits for a signal, on the same Temporal server
 * as the service.
 */
export async function startBareStarts(bench: BenchEnvironment): Promise<BareStarts> {
  const taskQueue = 'bare-starts';
  let started = 0;
  let begun = 0;
  const worker = await startBareWorker(bench, {
    taskQueue,
    sinks: { bench: { begun: { fn: () => void (begun += 1) } } },
  });
  const { temporalAddress } = bench.environment;
  const client = await createLazyClient({ ...bench.config, address: temporalAddress });

  const router = new Router();
  router.post('/start', async (ctx) => {
    await client.workflow.start('bareWaiting', { taskQueue, workflowId: `bare/${randomUUID()}` });
    started += 1;
    ctx.status = 201;
  });
  const server = http.createServer(new Koa().use(router.routes()).callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async drained() {
      while (begun < started) await sleep(50);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await worker.stop();
      await client.connection.close();
    },
  };
}
