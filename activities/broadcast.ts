import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { BroadcastStatus } from '../src/broadcasts/contract';
import type { Core } from '../src/core';
import { findBroadcast, markCancelling } from '../src/broadcasts/queries/broadcasts';
import { finishBroadcast } from '../src/broadcasts/jobs';
import { runBroadcast } from '../src/broadcasts/run';
import { reported } from './failures';

export interface BroadcastRef {
  jobId: string;
}

/** Numbers and states only: histories are readable by operators. */
export interface BroadcastProgress {
  status: BroadcastStatus;
  sent: number;
  failed: number;
  skipped: number;
  total: number;
}

export interface BroadcastPage extends BroadcastProgress {
  hasMore: boolean;
}

/** One page of the workflow: long enough to keep histories short, short enough that a stop need not wait. */
const PAGE_MS = 60_000;
const HEARTBEAT_MS = 2_000;

export type BroadcastActivities = ReturnType<typeof createBroadcastActivities>;

export interface BroadcastActivityDeps extends Core {
  /** The process is stopping: pages end early, with everything recorded. */
  stopping: AbortSignal;
}

/** What the `broadcast` workflow does to the world. Each can run twice: the rows say what is left to do. */
export function createBroadcastActivities(deps: BroadcastActivityDeps) {
  async function progress(jobId: string): Promise<BroadcastProgress> {
    const found = await findBroadcast(deps.pool, jobId);
    if (!found) return { status: 'cancelled', sent: 0, failed: 0, skipped: 0, total: 0 };
    const { status, sent, failed, skipped, total } = found;
    return { status, sent, failed, skipped, total };
  }

  return {
    /** Sends for up to a minute. The heartbeat tells that the worker lives; it is neither the cursor nor the cancel. */
    sendPage: reported(async ({ jobId }: BroadcastRef): Promise<BroadcastPage> => {
      const beating = setInterval(() => heartbeat({ attempt: activityInfo().attempt }), HEARTBEAT_MS);
      try {
        const signal = AbortSignal.any([deps.stopping, cancellationSignal()]);
        const end = await runBroadcast(deps, jobId, { signal, pageMs: PAGE_MS });
        return { ...(await progress(jobId)), hasMore: end === 'more' };
      } finally {
        clearInterval(beating);
      }
    }),

    /** Ends the broadcast if nothing is left to do, and says how it stands. */
    finish: reported(async ({ jobId }: BroadcastRef): Promise<BroadcastProgress> => {
      await finishBroadcast(deps, jobId, { workerIsGone: true });
      const now = await progress(jobId);
      deps.log.info({ broadcast_id: jobId, ...now }, 'broadcast');
      return now;
    }),

    /** For an operator who cancels the workflow in the Temporal UI: the row must say so, too. */
    cancel: reported(async ({ jobId }: BroadcastRef): Promise<void> => {
      await markCancelling(deps.pool, jobId);
      await finishBroadcast(deps, jobId, { workerIsGone: true });
    }),
  };
}
