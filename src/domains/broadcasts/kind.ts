import { workflowKind, type Kind } from '../../base/agenda';
import type { Core } from '../../base/core';
import { workflowIds } from '../../base/temporal/names';
import { jobKinds } from './contract';
import { findJobStart } from './queries/broadcasts';
import type { BroadcastWorkflow } from './workflow-input';

/**
 * Starts the workflows of broadcasts and batches, wakes the workflow of a cancelled one, and replaces a workflow that has not
 * reported for two minutes.
 */
export function broadcastKinds({ pool, client, queues }: Pick<Core, 'pool' | 'client' | 'queues'>): Kind[] {
  return jobKinds.map((kind) =>
    workflowKind<BroadcastWorkflow>(
      { client },
      {
        name: kind,
        workflow: 'broadcast',
        taskQueue: queues.broadcasts,
        workflowId: workflowIds[kind],
        async startOf(id) {
          const found = await findJobStart(pool, id);
          if (!found) return null;
          const { total, slug } = found;
          const size = kind === 'batch' ? `batch of ${total} messages` : `broadcast to ${total} subscribers`;
          return { args: [{ jobId: id }], summary: `${size} (${slug})` };
        },
      },
    ),
  );
}
