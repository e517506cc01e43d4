import {
  ActivityCancellationType,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { BroadcastActivities, BroadcastState } from '../activities/broadcast';
import type { BroadcastInput } from '../src/domains/broadcasts/workflow-input';
import { OWN_FAULT_RETRY } from './own-fault-retry';
import { runWhenDue } from './run-when-due';

const { sendPage } = proxyActivities<BroadcastActivities>({
  // A page takes a minute; the rest is for writing results while the database is unavailable.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: OWN_FAULT_RETRY,
});
const { finishBroadcast, cancelBroadcast } = proxyActivities<BroadcastActivities>({
  startToCloseTimeout: '2 minutes',
  retry: OWN_FAULT_RETRY,
});

/** One broadcast or batch: sends pages until no recipients are left or it is cancelled, then writes the end. */
export async function broadcast(input: BroadcastInput): Promise<BroadcastState> {
  try {
    return await runWhenDue(input, () => sendNext(input));
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => cancelBroadcast(input));
    throw error;
  }
}

async function sendNext(input: BroadcastInput): Promise<BroadcastState> {
  const page = await sendPage(input);
  return page.nextAt !== null || page.status === 'parked' ? page : finishBroadcast(input);
}
