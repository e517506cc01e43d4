import {
  ActivityCancellationType,
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { BroadcastActivities, BroadcastProgress } from '../activities/broadcast';

/** Ids only; the broadcast itself is in its row. */
export interface BroadcastInput {
  jobId: string;
}

/** About six events each: a history stays far below the server's limits. */
const MOST_PAGES = 500;

const ownFaults = { initialInterval: '1 second', maximumInterval: '30 seconds' } as const;

const { sendPage } = proxyActivities<BroadcastActivities>({
  // A page is a minute; the rest is for results that a database which is away does not take yet.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: ownFaults,
});
const { finish, cancel } = proxyActivities<BroadcastActivities>({
  startToCloseTimeout: '2 minutes',
  retry: ownFaults,
});

/** One broadcast: page after page until nothing is left or somebody cancels it, then its end. */
export async function broadcast(input: BroadcastInput): Promise<BroadcastProgress> {
  try {
    for (let pages = 1; ; pages += 1) {
      const page = await sendPage.executeWithOptions({ summary: `page ${pages}` }, [input]);
      setCurrentDetails(describe(page));
      if (!page.hasMore) {
        const end = await finish(input);
        setCurrentDetails(describe(end));
        if (end.status === 'completed' || end.status === 'cancelled') return end;
        // Another run had the broadcast in hand; it is looked at again rather than given up.
        await sleep('1 second');
      }
      if (pages >= MOST_PAGES || workflowInfo().continueAsNewSuggested) {
        await continueAsNew<typeof broadcast>(input);
      }
    }
  } catch (error) {
    if (!isCancellation(error)) throw error;
    await CancellationScope.nonCancellable(() => cancel(input));
    throw error;
  }
}

function describe({ status, sent, failed, skipped, total }: BroadcastProgress): string {
  const left = total - sent - failed - skipped;
  return `${status}: ${sent} sent, ${failed} failed, ${skipped} skipped, ${left} left of ${total}.`;
}
