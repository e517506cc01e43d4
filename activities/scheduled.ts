import { heartbeat } from '@temporalio/activity';
import type { ScheduledStatus } from '../src/broadcasts/scheduled/contract';
import { fireScheduled, type FireDeps } from '../src/broadcasts/scheduled/fire';
import { reported } from './failures';

export interface ScheduledRef {
  scheduledId: string;
}

/** Only a status and a time, because operators can read histories. */
export interface ScheduledState {
  status: ScheduledStatus;
  /** ISO 8601; null if nothing is left to do. */
  nextAt: string | null;
}

const HEARTBEAT_MS = 5_000;

export type ScheduledActivities = ReturnType<typeof createScheduledActivities>;

/** The activity of the `scheduled` workflow. It is idempotent: the rows show what is left to do. */
export function createScheduledActivities(deps: FireDeps) {
  return {
    fireScheduled: reported(async ({ scheduledId }: ScheduledRef): Promise<ScheduledState> => {
      // Only detects a dead worker: what was sent is in the rows.
      const heartbeats = setInterval(() => heartbeat(), HEARTBEAT_MS);
      try {
        const { status, nextAt } = await fireScheduled(deps, scheduledId);
        return { status, nextAt: nextAt?.toISOString() ?? null };
      } finally {
        clearInterval(heartbeats);
      }
    }),
  };
}
