import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from '../lib/log';
import { signals } from './names';
import { within } from './within';

const SIGNAL_LIMIT_MS = 5_000;

/**
 * Has workflows read their rows, which are gone, so that they end now and not when their timers fire. Not awaited, and
 * without a retry: an operator's list shows such a workflow a little longer, nothing else depends on it.
 */
export function wakeWorkflows({ client, log }: { client: Client; log: Logger }, ids: string[]): void {
  for (const id of ids) {
    within(client, SIGNAL_LIMIT_MS, () => client.workflow.getHandle(id).signal(signals.look)).catch(
      (err: unknown) => {
        if (!(err instanceof WorkflowNotFoundError)) {
          log.info({ err, workflow_id: id }, 'a workflow without a row could not be woken and ends later');
        }
      },
    );
  }
}
