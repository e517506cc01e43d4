import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from '../lib/log';
import { signals } from './names';
import { within } from './within';

const SIGNAL_LIMIT_MS = 5_000;

/**
 * Signals workflows whose rows have ended or are gone, so that they end now instead of at their next timer. Not awaited and not
 * retried: otherwise they only stay longer in the operator's list.
 */
export function wakeWorkflows({ client, log }: { client: Client; log: Logger }, ids: string[]): void {
  for (const id of ids) {
    wakeWorkflow(client, id).catch((err: unknown) => {
      if (err instanceof WorkflowNotFoundError) return;
      log.info({ err, workflow_id: id }, 'a workflow whose row has ended could not be woken and ends later');
    });
  }
}

/** Signals one workflow, within a time limit. */
export function wakeWorkflow(
  client: Client,
  id: string,
  signal: (typeof signals)[keyof typeof signals] = signals.changed,
): Promise<void> {
  return within(client, SIGNAL_LIMIT_MS, () => client.workflow.getHandle(id).signal(signal));
}
