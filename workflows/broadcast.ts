import {
  ActivityCancellationType,
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { BroadcastActivities, BroadcastProgress } from '../activities/broadcast';
import { signals } from '../src/temporal/names';
import { OWN_FAULT_INTERVAL } from './own-fault-interval';

/** Only the id: the row holds the broadcast. */
export interface BroadcastInput {
  jobId: string;
}

/** About six events per page, which keeps the history far below the server's limits. */
const MAX_PAGES = 500;

const internalErrorRetry = { initialInterval: '1 second', maximumInterval: OWN_FAULT_INTERVAL } as const;

const { sendPage } = proxyActivities<BroadcastActivities>({
  // A page takes a minute; the rest is for writing results while the database is unavailable.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: internalErrorRetry,
});
const { finishBroadcast, cancelBroadcast } = proxyActivities<BroadcastActivities>({
  startToCloseTimeout: '2 minutes',
  retry: internalErrorRetry,
});

/** The row has changed: it was cancelled. */
const changed = defineSignal(signals.changed);

/**
 * One broadcast: sends pages until no recipients are left or it is cancelled, then writes the end. Ends early while its project
 * is not active: the relay starts it again.
 */
export async function broadcast(input: BroadcastInput): Promise<BroadcastProgress> {
  let isChanged = false;
  setHandler(changed, () => {
    isChanged = true;
  });
  try {
    for (let pages = 1; ; pages += 1) {
      const page = await sendPage.executeWithOptions({ summary: `page ${pages}` }, [input]);
      setCurrentDetails(describe(page));
      if (page.isPaused) {
        // A cancellation that came meanwhile is read before the end.
        if (!isChanged) return page;
        isChanged = false;
        continue;
      }
      if (!page.hasMore) {
        const end = await finishBroadcast(input);
        setCurrentDetails(describe(end));
        if (end.status === 'completed' || end.status === 'cancelled') return end;
        // Another run took the broadcast over: check again.
        await sleep('1 second');
      }
      // Recipients who get it at their own local time: the rest of the day costs nothing.
      if (page.hasMore && page.waitMs) {
        await condition(() => isChanged, page.waitMs, { summary: 'the next recipient is due' });
        isChanged = false;
      }
      if (pages >= MAX_PAGES || workflowInfo().continueAsNewSuggested) {
        await continueAsNew<typeof broadcast>(input);
      }
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => cancelBroadcast(input));
    throw error;
  }
}

function describe({ status, sent, failed, skipped, total }: BroadcastProgress): string {
  const left = total - sent - failed - skipped;
  return `${status}: ${sent} sent, ${failed} failed, ${skipped} skipped, ${left} left of ${total}.`;
}
