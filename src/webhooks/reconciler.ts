import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { claimOverdue, restartDelivery } from './queries/starts';
import type { Logger } from '../lib/log';
import { isWorkflowRunning } from '../temporal/is-workflow-running';
import { workflowIds } from '../temporal/names';

export interface DeliveryReconcilerDeps {
  pool: pg.Pool;
  log: Logger;
  client: Client;
  /** Between two looks. */
  everyMs?: number;
}

export interface Reconciler {
  stop(): Promise<void>;
}

const BATCH = 100;

/**
 * Finds open deliveries that should have moved two minutes ago and whose workflow is gone (a lost Temporal store,
 * a termination by hand), and puts them back into the relay's queue. Slow workflows are left alone.
 */
export function startDeliveryReconciler({
  pool,
  log,
  client,
  everyMs = 30_000,
}: DeliveryReconcilerDeps): Reconciler {
  let stopped = false;
  let running: Promise<void> | null = null;

  async function look(): Promise<void> {
    for (;;) {
      const overdue = await claimOverdue(pool, BATCH);
      for (const { id } of overdue) {
        if (stopped) return;
        if (await isWorkflowRunning(client, workflowIds.delivery(id))) continue;
        await restartDelivery(pool, id);
        log.warn({ delivery_id: id }, 'an open delivery had no workflow and is started again');
      }
      if (overdue.length < BATCH) return;
    }
  }

  const timer = setInterval(() => {
    running ??= look()
      .catch((err: unknown) => log.warn({ err }, 'overdue deliveries could not be looked after'))
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
