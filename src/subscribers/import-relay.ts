import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { importSubscribers } from '../../workflows/import-subscribers';
import type { Logger } from '../lib/log';
import { startJobRelay } from '../temporal/job-relay';
import { workflowIds, type TaskQueues } from '../temporal/names';
import type { Relay } from '../temporal/relay';
import { claimDueImports, extendImportLease, type DueImport } from './queries/imports';

export interface ImportRelayDeps {
  pool: pg.Pool;
  log: Logger;
  client: Client;
  queues: TaskQueues;
}

/**
 * The only code that starts import workflows. An import is due when it is new, and again when no worker has recorded a
 * chunk for two minutes.
 */
export function startImportRelay({ pool, log, client, queues }: ImportRelayDeps): Relay {
  return startJobRelay<DueImport, typeof importSubscribers>({
    name: 'imports',
    client,
    log,
    workflow: 'importSubscribers',
    taskQueue: queues.broadcasts,
    workflowId: ({ id }) => workflowIds.subscriberImport(id),
    args: ({ id }) => [{ importId: id }],
    summary: ({ rows }) => `import of ${rows} rows`,
    claim: (limit) => claimDueImports(pool, limit),
    extendLease: (id) => extendImportLease(pool, id),
  });
}
