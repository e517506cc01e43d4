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
import type { DripActivities, DripState } from '../activities/drip';
import { searchAttributes, signals } from '../src/temporal/names';

/** Only the id: the row holds the enrolment. */
export interface DripInput {
  enrolmentId: string;
}

/** The row has changed. */
const changed = defineSignal(signals.changed);

const { advanceEnrolment } = proxyActivities<DripActivities>({
  // A message waits for its turn, and an upload can take minutes.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** One enrolment: runs what is due and sleeps until the next step, until the chain ends or is not active. */
export async function drip(input: DripInput): Promise<DripState> {
  let signalCount = 0;
  setHandler(changed, () => void (signalCount += 1));
  let summary = 'steps that are due';
  for (;;) {
    const seen = signalCount;
    const state = await advanceEnrolment.executeWithOptions({ summary }, [input]);
    summary = `step ${state.stepId}`;
    // Messages without a wait between them change nothing that an operator would look for.
    if (state.nextAt === null || state.waitMs > 0) show(state);
    // A change that came meanwhile is read before the end.
    if (signalCount > seen) continue;
    if (state.nextAt === null) return state;
    if (state.waitMs > 0) await condition(() => signalCount > seen, Math.max(1, state.waitMs), { summary });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof drip>(input);
  }
}

function show({ status, stepId, nextAt }: DripState): void {
  upsertSearchAttributes([
    { key: searchAttributes.State, value: status },
    { key: searchAttributes.NextAt, value: nextAt === null ? null : new Date(nextAt) },
  ]);
  setCurrentDetails(nextAt === null ? `${status}.` : `Step ${stepId}: goes on at ${nextAt}.`);
}
