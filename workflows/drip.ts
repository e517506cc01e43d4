import { proxyActivities } from '@temporalio/workflow';
import type { DripActivities, DripState } from '../activities/drip';
import { runWhenDue } from './run-when-due';
import { OWN_FAULT_INTERVAL } from './own-fault-interval';

/** Only the id: the row holds the enrolment. */
export interface DripInput {
  enrolmentId: string;
}

const { advanceEnrolment } = proxyActivities<DripActivities>({
  // A message waits for its turn, and an upload can take minutes.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '15 seconds',
  retry: { initialInterval: '1 second', maximumInterval: OWN_FAULT_INTERVAL },
});

/** One enrolment: runs what is due and sleeps until the next step, until the chain ends or is not active. */
export function drip(input: DripInput): Promise<DripState> {
  let summary = 'steps that are due';
  const advance = async () => {
    const state = await advanceEnrolment.executeWithOptions({ summary }, [input]);
    summary = nameOf(state);
    return state;
  };
  return runWhenDue(input, advance, nameOf);
}

const nameOf = ({ stepId }: DripState) => `step ${stepId}`;
