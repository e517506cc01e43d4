import type { Client } from '@temporalio/client';
import type { Logger } from '../lib/log';
import { startSweep } from '../lib/sweep';
import { isWorkflowRunning } from './is-workflow-running';

export interface ReconcilerOptions {
  /** In the log: "overdue deliveries". */
  name: string;
  client: Client;
  log: Logger;
  everyMs: number;
  /** Claims up to `limit` overdue open rows, so that no process sees the same ones for the next two minutes. */
  claim(limit: number): Promise<string[]>;
  workflowId(id: string): string;
  /** Starts the row's workflow again. Called only if none is running. */
  restart(id: string): Promise<void>;
}

export interface Reconciler {
  stop(): Promise<void>;
}

const BATCH = 100;

/**
 * Restarts open rows that are overdue and whose workflow is gone: Temporal's store was lost, or an operator terminated
 * the run. Rows whose workflow runs are left alone. Safe in several processes.
 */
export function startReconciler({
  name,
  client,
  log,
  everyMs,
  claim,
  workflowId,
  restart,
}: ReconcilerOptions): Reconciler {
  let stopped = false;
  let running: Promise<void> | null = null;

  async function reconcile(): Promise<void> {
    for (;;) {
      const overdue = await claim(BATCH);
      for (const id of overdue) {
        if (stopped) return;
        if (await isWorkflowRunning(client, workflowId(id))) continue;
        await restart(id);
        log.warn({ workflow_id: workflowId(id) }, 'an open row had no workflow and is restarted');
      }
      if (overdue.length < BATCH) return;
    }
  }

  const sweep = startSweep(everyMs, () => {
    running ??= reconcile()
      .catch((err: unknown) => log.warn({ err }, `${name} could not be reconciled`))
      .finally(() => (running = null));
  });
  return {
    async stop() {
      stopped = true;
      sweep.stop();
      await running;
    },
  };
}
