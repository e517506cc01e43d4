import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Logger } from '../lib/log';
import type { PeriodicJob } from '../lib/periodic-job';
import { workflowIds } from '../temporal/names';
import { startReconciler } from '../temporal/reconciler';
import { claimOverdue, restartDelivery } from './queries/deliveries';

export interface DeliveryReconcilerDeps {
  pool: pg.Pool;
  log: Logger;
  client: Client;
  everyMs?: number;
}

/** Queues open deliveries again that should have moved two minutes ago and whose workflow is gone. */
export function startDeliveryReconciler({
  pool,
  log,
  client,
  everyMs = 30_000,
}: DeliveryReconcilerDeps): PeriodicJob {
  return startReconciler({
    name: 'overdue deliveries',
    client,
    log,
    everyMs,
    claim: (limit) => claimOverdue(pool, limit),
    workflowId: workflowIds.delivery,
    restart: async (id) => void (await restartDelivery(pool, id)),
  });
}
