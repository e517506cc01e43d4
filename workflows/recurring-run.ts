import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { RecurringActivities, RecurringRunState } from '../activities/recurring-run';
import { scheduledStartTime } from '../src/temporal/names';

/** Only the id: the row holds the message. */
export interface RecurringRunInput {
  recurringId: string;
  /** ISO 8601: the occurrence, if the relay starts it instead of the schedule. */
  scheduledFor?: string;
}

const { runRecurring } = proxyActivities<RecurringActivities>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '30 seconds' },
});

/** One occurrence of a recurring message: claims it and inserts the broadcast. */
export async function recurringRun({
  recurringId,
  scheduledFor = timeOfSchedule(),
}: RecurringRunInput): Promise<RecurringRunState> {
  return runRecurring({ recurringId, scheduledFor });
}

function timeOfSchedule(): string {
  const info = workflowInfo();
  return (info.typedSearchAttributes.get(scheduledStartTime) ?? info.startTime).toISOString();
}
