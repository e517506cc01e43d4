import type { Client, Workflow } from '@temporalio/client';
import type { Notifications } from '../db/notify';
import type { Logger } from '../lib/log';
import { searchAttributes, signals } from './names';
import { startRelay, type Relay } from './relay';
import { START_LIMIT_MS, within } from './within';

/** A row whose workflow must be started or must read it again. */
export interface WakeUp {
  id: string;
  project_id: string;
  status: string;
  next_at: Date | null;
}

export interface WakeUpRelayOptions<Item extends WakeUp, W extends Workflow> {
  /** For metrics and the log. */
  name: string;
  /** The NOTIFY channel that wakes the relay. */
  channel: string;
  notifications: Notifications;
  client: Client;
  log: Logger;
  workflow: string;
  taskQueue: string;
  workflowId: (id: string) => string;
  args: (item: Item) => Parameters<W>;
  /** One line for the Temporal UI, without personal data. */
  summary: (item: Item) => string;
  /** Claims rows with a lease: one that is not marked is claimed again. */
  claim: (limit: number) => Promise<Item[]>;
  /** Records that the workflow was woken, unless its row has changed since the claim. */
  mark: (item: Item) => Promise<unknown>;
}

/**
 * Starts the workflow of each claimed row, or signals `changed` to the one that runs: the row is the truth, and the
 * workflow reads it. A workflow that was terminated is replaced.
 */
export function startWakeUpRelay<Item extends WakeUp, W extends Workflow>({
  name,
  channel,
  notifications,
  client,
  log,
  workflow,
  taskQueue,
  workflowId,
  args,
  summary,
  claim,
  mark,
}: WakeUpRelayOptions<Item, W>): Relay {
  return startRelay<Item>({
    name,
    channel,
    notifications,
    sweepMs: 1_000,
    concurrency: 8,
    claim,
    async start(item) {
      const { id, project_id, status, next_at } = item;
      await within(client, START_LIMIT_MS, () =>
        client.workflow.signalWithStart<Workflow>(workflow, {
          workflowId: workflowId(id),
          taskQueue,
          args: args(item),
          signal: signals.changed,
          workflowIdReusePolicy: 'ALLOW_DUPLICATE',
          staticSummary: summary(item),
          typedSearchAttributes: [
            { key: searchAttributes.ProjectId, value: project_id },
            { key: searchAttributes.State, value: status },
            ...(next_at ? [{ key: searchAttributes.NextAt, value: next_at }] : []),
          ],
        }),
      );
      await mark(item);
    },
    log,
  });
}
