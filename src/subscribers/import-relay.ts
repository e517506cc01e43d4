import { type Client, type WorkflowOptions } from '@temporalio/client';
import type pg from 'pg';
import type { importSubscribers } from '../../workflows/import-subscribers';
import type { Logger } from '../lib/log';
import { searchAttributes, workflowIds, type TaskQueues } from '../temporal/names';
import { startRelay, type Relay } from '../temporal/relay';
import { within } from '../temporal/within';
import { claimDueImports, extendImportLease, type DueImport } from './queries/imports';

export interface ImportRelayDeps {
  pool: pg.Pool;
  log: Logger;
  client: Client;
  queues: TaskQueues;
}

const START_LIMIT_MS = 5_000;

/**
 * The only code that starts import workflows. An import is due when it is new, and again when no worker has recorded a
 * chunk for two minutes: the start then finds the workflow running, or replaces one that has ended.
 */
export function startImportRelay({ pool, log, client, queues }: ImportRelayDeps): Relay {
  function optionsFor({ id, project_id, rows }: DueImport) {
    return {
      workflowId: workflowIds.subscriberImport(id),
      taskQueue: queues.broadcasts,
      args: [{ importId: id }],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: `import of ${rows} rows`,
      typedSearchAttributes: [{ key: searchAttributes.ProjectId, value: project_id }],
    } satisfies WorkflowOptions & { taskQueue: string; args: Parameters<typeof importSubscribers> };
  }

  return startRelay<DueImport>({
    name: 'imports',
    sweepMs: 1_000,
    concurrency: 4,
    claim: (limit) => claimDueImports(pool, limit),
    async start(due) {
      await within(client, START_LIMIT_MS, () =>
        client.workflow.start<typeof importSubscribers>('importSubscribers', optionsFor(due)),
      );
      await extendImportLease(pool, due.id);
    },
    log,
  });
}
