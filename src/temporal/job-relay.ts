import type { Client, Workflow } from '@temporalio/client';
import type { Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { searchAttributes, signals } from './names';
import { startRelay, type Relay } from './relay';
import { START_LIMIT_MS, within } from './within';

/** A row that its workflow processes page by page. */
export interface Job {
  id: string;
  project_id: string;
}

export interface JobRelayOptions<Item extends Job, W extends Workflow> {
  /** For metrics and the log. */
  name: string;
  /** The NOTIFY channel that wakes the relay. The sweep finds jobs without a notification. */
  channel?: string;
  notifications?: Notifications;
  client: Client;
  log: Logger;
  workflow: string;
  taskQueue: string;
  workflowId: (item: Item) => string;
  args: (item: Item) => Parameters<W>;
  /** One line for the Temporal UI, without personal data. */
  summary: (item: Item) => string;
  /** Whether a workflow that runs must read its row now. Default: no. */
  isChanged?: (item: Item) => boolean;
  /** Claims jobs that are new, and those whose lease no worker has extended. */
  claim: (limit: number) => Promise<Item[]>;
  extendLease: (id: string) => Promise<unknown>;
}

/**
 * Starts the workflow of each claimed job. A running workflow continues, and reads its row now if that has changed; one that
 * has ended is replaced.
 */
export function startJobRelay<Item extends Job, W extends Workflow>({
  client,
  workflow,
  taskQueue,
  workflowId,
  args,
  summary,
  isChanged,
  extendLease,
  ...relay
}: JobRelayOptions<Item, W>): Relay {
  return startRelay<Item>({
    ...relay,
    sweepMs: 1_000,
    concurrency: 4,
    async start(item) {
      const options = {
        workflowId: workflowId(item),
        taskQueue,
        args: args(item),
        workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
        staticSummary: summary(item),
        typedSearchAttributes: [{ key: searchAttributes.ProjectId, value: item.project_id }],
      };
      await within(client, START_LIMIT_MS, async () => {
        if (isChanged?.(item)) {
          await client.workflow.signalWithStart<Workflow>(workflow, { ...options, signal: signals.changed });
        } else {
          await client.workflow.start<Workflow>(workflow, {
            ...options,
            workflowIdConflictPolicy: 'USE_EXISTING',
          });
        }
      });
      await extendLease(item.id);
    },
  });
}
