import type { importSubscribers } from '../../workflows/import-subscribers';
import { type Kind, workflowKind } from '../base/agenda';
import type { Core } from '../core';
import { workflowIds } from '../temporal/names';
import { findAnyImport, IMPORTS } from './queries/imports';

/** Starts the workflow of an import whose file is stored, and again when no worker has recorded a chunk for two minutes. */
export function importKind(core: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return workflowKind<typeof importSubscribers>(core, {
    name: IMPORTS,
    workflow: 'importSubscribers',
    taskQueue: core.queues.broadcasts,
    workflowId: workflowIds.subscriberImport,
    concurrency: 4,
    perProject: 2,
    async startOf(id) {
      const found = await findAnyImport(core.pool, id);
      if (!found || found.ended_at !== null) return null;
      return { args: [{ importId: id }], summary: `import of ${found.rows} rows` };
    },
  });
}
