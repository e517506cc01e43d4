import { runDue, type RunDueResult, type RunDeps } from '../src/broadcasts/recurring/runs';
import { reported } from './failures';

export interface RecurringRef {
  recurringId: string;
}

/** Only a status and a time, because operators can read histories. */
export interface RecurringState extends Pick<RunDueResult, 'status' | 'waitMs'> {
  /** ISO 8601; null if nothing is left to do. */
  nextAt: string | null;
}

export type RecurringActivities = ReturnType<typeof createRecurringActivities>;

/** The activity of the `recurring` workflow. It is idempotent: an occurrence is claimed once. */
export function createRecurringActivities(deps: RunDeps) {
  return {
    runRecurring: reported(async ({ recurringId }: RecurringRef): Promise<RecurringState> => {
      const { nextAt, ...state } = await runDue(deps, recurringId);
      return { ...state, nextAt: nextAt?.toISOString() ?? null };
    }),
  };
}
