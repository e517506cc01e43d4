import { setMaxListeners } from 'node:events';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Logger } from '../lib/log';
import { withRetry } from '../lib/retry';
import { signals } from './names';
import { isClosing, within } from './within';

const SIGNAL_LIMIT_MS = 5_000;
/** A workflow that is not reached within this time reads its row at its next timer. */
const RETRY_FOR_MS = 60_000;
const RETRY_PAUSE_MS = { first: 100, most: 5_000 };
/** Signals of a client that wait for another attempt. Beyond this number a failed signal is not repeated. */
const MOST_WAITING = 1_000;

const waiting = new WeakMap<Client, number>();

/** Signals workflows whose rows have ended or were deleted, so that they end now and not at their next timer. Not awaited. */
export function wakeWorkflows({ client, log }: { client: Client; log: Logger }, ids: string[]): void {
  for (const id of ids) {
    wakeWorkflow(client, id).catch((err: unknown) => {
      if (err instanceof WorkflowNotFoundError) return;
      log.info({ err, workflow_id: id }, 'a workflow whose row has ended could not be woken and ends later');
    });
  }
}

/** Signals one workflow, and tries again for a minute while the server is unavailable or restarts. */
export async function wakeWorkflow(
  client: Client,
  id: string,
  signal: (typeof signals)[keyof typeof signals] = signals.changed,
): Promise<void> {
  const closing = isClosing(client);
  setMaxListeners(2 * MOST_WAITING, closing);
  let isWaiting = false;
  const count = (change: 1 | -1) => waiting.set(client, (waiting.get(client) ?? 0) + change);
  const mayWait = () => {
    if (isWaiting) return true;
    if ((waiting.get(client) ?? 0) >= MOST_WAITING) return false;
    count(1);
    return (isWaiting = true);
  };
  try {
    await withRetry(
      () => within(client, SIGNAL_LIMIT_MS, () => client.workflow.getHandle(id).signal(signal)),
      {
        pauseMs: RETRY_PAUSE_MS,
        shouldRetry: (error, { elapsedMs }) =>
          !(error instanceof WorkflowNotFoundError) && elapsedMs < RETRY_FOR_MS && mayWait(),
        signal: closing,
      },
    );
  } finally {
    if (isWaiting) count(-1);
  }
}
