import { advanceEnrolment, type AdvanceDeps, type Advanced } from '../src/drip/advance';
import { reported } from './failures';
import { withHeartbeats } from './heartbeats';

export interface DripRef {
  enrolmentId: string;
}

/** Only a status, the id of a step and a time, because operators can read histories. */
export interface DripState {
  status: Advanced['status'];
  stepId: string | null;
  /** ISO 8601; null if nothing is left to do. */
  nextAt: string | null;
  /** Until then, by the database's clock. */
  waitMs: number;
}

const HEARTBEAT_MS = 5_000;

export type DripActivities = ReturnType<typeof createDripActivities>;

/** The activity of the `drip` workflow. It is idempotent: the rows show what is left to do. */
export function createDripActivities(deps: AdvanceDeps) {
  return {
    advanceEnrolment: reported(async ({ enrolmentId }: DripRef): Promise<DripState> => {
      const { nextAt, ...state } = await withHeartbeats(HEARTBEAT_MS, () =>
        advanceEnrolment(deps, enrolmentId),
      );
      return { ...state, nextAt: nextAt?.toISOString() ?? null };
    }),
  };
}
