import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { RecurringActivities, RecurringRunState } from '../activities/recurring-run';
import { scheduledStartTime } from '../src/temporal/names';

/** Only the id: the row holds the message. */
export interface RecurringRunInput {
  recurringId: string;
}

const { runRecurring } = proxyActivities<RecurringActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** One occurrence of a recurring message, started by its schedule: claims it and inserts the broadcast. */
export async function recurringRun({ recurringId }: RecurringRunInput): Promise<RecurringRunState> {
  const info = workflowInfo();
  const scheduledFor = info.typedSearchAttributes.get(scheduledStartTime) ?? info.startTime;
  return runRecurring({ recurringId, scheduledFor: scheduledFor.toISOString() });
}
