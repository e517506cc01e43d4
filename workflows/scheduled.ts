import { proxyActivities } from '@temporalio/workflow';
import type { ScheduledActivities, ScheduledState } from '../activities/scheduled';
import { runWhenDue } from './run-when-due';
import { OWN_FAULT_INTERVAL } from './own-fault-interval';

/** Only the id: the row holds the message. */
export interface ScheduledInput {
  scheduledId: string;
}

const { fireScheduled } = proxyActivities<ScheduledActivities>({
  // An external_id can name a hundred subscribers, each of whom waits for a turn.
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '1 second', maximumInterval: OWN_FAULT_INTERVAL },
  summary: 'send what is due',
});

/** One scheduled entry: sleeps until its row's time, then sends what is due, until nothing is left. */
export function scheduled(input: ScheduledInput): Promise<ScheduledState> {
  return runWhenDue(input, () => fireScheduled(input));
}
