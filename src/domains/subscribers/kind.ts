import { rowKind, type Kind } from '../../base/agenda';
import type { Core } from '../../base/core';
import { workflowIds } from '../../base/temporal/names';
import { findAnyImport, IMPORT } from './queries/imports';

/** Due when the file of an import is stored, and again when no worker has recorded a chunk for two minutes. */
export function importKind(core: Pick<Core, 'pool' | 'client' | 'queues'>): Kind {
  return rowKind(core, {
    name: IMPORT,
    taskQueue: core.queues.broadcasts,
    workflowId: workflowIds.subscriberImport,
    concurrency: 4,
    perProject: 2,
    async find(id) {
      const found = await findAnyImport(core.pool, id);
      if (!found || found.ended_at !== null) return null;
      return { status: found.status, summary: `import of ${found.rows} rows` };
    },
  });
}
