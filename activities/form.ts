import type { RouteDeps } from '../src/forms/outcome';
import { runRoutes, type RoutesRun } from '../src/forms/run-routes';
import { reported } from './failures';
import { withHeartbeats } from './heartbeats';

export interface FormRef {
  submissionId: string;
}

/** Only a status, the place of a route and a time, because operators can read histories. */
export interface FormState {
  status: RoutesRun['status'];
  route: number | null;
  /** ISO 8601; null if nothing is left to do. */
  nextAt: string | null;
  /** Until then, by the database's clock. */
  waitMs: number;
}

const HEARTBEAT_MS = 5_000;

export type FormActivities = ReturnType<typeof createFormActivities>;

/** The activity of the `form` workflow. It is idempotent: the rows show what is left to do. */
export function createFormActivities(deps: RouteDeps) {
  return {
    runRoutes: reported(async ({ submissionId }: FormRef): Promise<FormState> => {
      const { nextAt, ...state } = await withHeartbeats(HEARTBEAT_MS, () => runRoutes(deps, submissionId));
      return { ...state, nextAt: nextAt?.toISOString() ?? null };
    }),
  };
}
