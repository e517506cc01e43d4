import { proxyActivities } from '@temporalio/workflow';
import type { RecurringActivities, RecurringState } from '../activities/recurring';
import { runWhenDue } from './run-when-due';
import { OWN_FAULT_INTERVAL } from './own-fault-interval';

/** Only the id: the row holds the message. */
export interface RecurringInput {
  recurringId: string;
}

const { runRecurring } = proxyActivities<RecurringActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: OWN_FAULT_INTERVAL },
  summary: 'run what is due',
});

/** One recurring message: sleeps until the row's next occurrence, makes it a broadcast, and goes on until its end. */
export function recurring(input: RecurringInput): Promise<RecurringState> {
  return runWhenDue(input, () => runRecurring(input));
}
