import { fireScheduled, type FireDeps, type FireResult } from '../src/broadcasts/scheduled/fire';
import { reported } from './failures';
import { withHeartbeats } from './heartbeats';

export interface ScheduledRef {
  scheduledId: string;
}

/** Only a status and a time, because operators can read histories. */
export interface ScheduledState {
  status: FireResult['status'];
  /** ISO 8601; null if nothing is left to do. */
  nextAt: string | null;
  /** Until then, by the database's clock. */
  waitMs: number;
}

const HEARTBEAT_MS = 5_000;

export type ScheduledActivities = ReturnType<typeof createScheduledActivities>;

/** The activity of the `scheduled` workflow. It is idempotent: the rows show what is left to do. */
export function createScheduledActivities(deps: FireDeps) {
  return {
    fireScheduled: reported(async ({ scheduledId }: ScheduledRef): Promise<ScheduledState> => {
      const { nextAt, ...state } = await withHeartbeats(HEARTBEAT_MS, () => fireScheduled(deps, scheduledId));
      return { ...state, nextAt: nextAt?.toISOString() ?? null };
    }),
  };
}
