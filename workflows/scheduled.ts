import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { ScheduledActivities, ScheduledState } from '../activities/scheduled';
import { searchAttributes, signals } from '../src/temporal/names';

/** Only the id: the row holds the message. */
export interface ScheduledInput {
  scheduledId: string;
}

/** The row has changed. */
const changed = defineSignal(signals.changed);

const { fireScheduled } = proxyActivities<ScheduledActivities>({
  // An external_id can name a hundred subscribers, each of whom waits for a turn.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** One scheduled entry: sleeps until its row's time, then sends what is due, until nothing is left. */
export async function scheduled(input: ScheduledInput): Promise<ScheduledState> {
  let signalCount = 0;
  setHandler(changed, () => void (signalCount += 1));
  for (;;) {
    const seen = signalCount;
    const state = await fireScheduled.executeWithOptions({ summary: 'send what is due' }, [input]);
    const nextAt = state.nextAt === null ? null : new Date(state.nextAt);
    upsertSearchAttributes([
      { key: searchAttributes.State, value: state.status },
      { key: searchAttributes.NextAt, value: nextAt },
    ]);
    setCurrentDetails(nextAt ? `${state.status}: next at ${nextAt.toISOString()}.` : `${state.status}.`);
    // A change that came meanwhile is read before the end.
    if (signalCount > seen) continue;
    if (!nextAt) return state;
    await condition(() => signalCount > seen, Math.max(1, nextAt.getTime() - Date.now()));
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof scheduled>(input);
  }
}
