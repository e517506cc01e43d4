import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { claimOverdue, restartDelivery } from './queries/deliveries';
import type { Logger } from '../lib/log';
import { isWorkflowRunning } from '../temporal/is-workflow-running';
import { workflowIds } from '../temporal/names';

export interface DeliveryReconcilerDeps {
  pool: pg.Pool;
  log: Logger;
  client: Client;
  everyMs?: number;
}

export interface Reconciler {
  stop(): Promise<void>;
}

const BATCH = 100;

/**
 * Queues open deliveries again that should have moved two minutes ago and whose workflow is gone: a lost Temporal store,
 * or a run that an operator terminated. Deliveries whose workflow runs are left alone.
 */
export function startDeliveryReconciler({
  pool,
  log,
  client,
  everyMs = 30_000,
}: DeliveryReconcilerDeps): Reconciler {
  let stopped = false;
  let running: Promise<void> | null = null;

  async function reconcile(): Promise<void> {
    for (;;) {
      const overdue = await claimOverdue(pool, BATCH);
      for (const id of overdue) {
        if (stopped) return;
        if (await isWorkflowRunning(client, workflowIds.delivery(id))) continue;
        await restartDelivery(pool, id);
        log.warn({ delivery_id: id }, 'an open delivery had no workflow and is restarted');
      }
      if (overdue.length < BATCH) return;
    }
  }

  const timer = setInterval(() => {
    running ??= reconcile()
      .catch((err: unknown) => log.warn({ err }, 'overdue deliveries could not be reconciled'))
      .finally(() => (running = null));
  }, everyMs);

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
