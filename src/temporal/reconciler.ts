import type { Client } from '@temporalio/client';
import type { Logger } from '../lib/log';
import { startPeriodicJob, type PeriodicJob } from '../lib/periodic-job';
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
}: ReconcilerOptions): PeriodicJob {
  async function reconcile(signal: AbortSignal): Promise<void> {
    for (;;) {
      const overdue = await claim(BATCH);
      for (const id of overdue) {
        if (signal.aborted) return;
        if (await isWorkflowRunning(client, workflowId(id))) continue;
        await restart(id);
        log.warn({ workflow_id: workflowId(id) }, 'an open row had no workflow and is restarted');
      }
      if (overdue.length < BATCH) return;
    }
  }

  return startPeriodicJob({ everyMs, run: reconcile, log, failure: `${name} could not be reconciled` });
}
