import { runOccurrence, type RunDeps, type RunResult } from '../src/broadcasts/recurring/runs';
import { reported } from './failures';

export interface RecurringRunRef {
  recurringId: string;
  /** ISO 8601: the occurrence's time, which is not that of the start. */
  scheduledFor: string;
}

/** Only a status, because operators can read histories. */
export type RecurringRunState = RunResult;

export type RecurringActivities = ReturnType<typeof createRecurringActivities>;

/** The activity of the `recurringRun` workflow. It is idempotent: an occurrence is claimed once. */
export function createRecurringActivities(deps: RunDeps) {
  return {
    runRecurring: reported(({ recurringId, scheduledFor }: RecurringRunRef): Promise<RecurringRunState> =>
      runOccurrence(deps, recurringId, new Date(scheduledFor)),
    ),
  };
}
