import { randomUUID } from 'node:crypto';
import { clientOn } from '../src/base/temporal/connection';
import { startBareWorker } from './bare-worker';
import type { BenchEnvironment } from './environment';

export interface BareLogins {
  /** Start, signal, local activity, signal, local activity, end. */
  complete(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The baseline of complete logins: a workflow with the steps of a login's and nothing around them, on the same Temporal server.
 * It costs what a login costs there: calls, workflow tasks and timers.
 */
export async function startBareLogins(bench: BenchEnvironment): Promise<BareLogins> {
  const taskQueue = 'bare-logins';
  const waiting = new Map<string, () => void>();
  const worker = await startBareWorker(bench, {
    taskQueue,
    activities: {
      act: (id: string) => Promise.resolve(waiting.get(id)?.()),
    },
  });
  const client = clientOn(worker.connection, bench.config);
  return {
    async complete() {
      const id = randomUUID();
      const args = [id];
      const options = { taskQueue, workflowId: `bare-login/${id}`, args, requestEagerStart: true };
      const handle = await client.workflow.start('bareLogin', options);
      for (const _answer of ['tap', 'verify']) {
        const acted = new Promise<void>((resolve) => waiting.set(id, resolve));
        await handle.signal('poke');
        await acted;
      }
      waiting.delete(id);
    },
    stop: () => worker.stop(),
  };
}
