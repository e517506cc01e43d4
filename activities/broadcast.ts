import { cancellationSignal } from '@temporalio/activity';
import type { BroadcastStatus } from '../src/broadcasts/contract';
import { finishBroadcast } from '../src/broadcasts/jobs';
import { findBroadcast, markCancelling } from '../src/broadcasts/queries/broadcasts';
import { msUntilDue } from '../src/broadcasts/queries/claims';
import { runBroadcast } from '../src/broadcasts/run';
import type { Core } from '../src/core';
import { reported } from './failures';
import { withHeartbeats } from './heartbeats';

export interface BroadcastRef {
  jobId: string;
}

/** Only counts and statuses, because operators can read histories. */
export interface BroadcastProgress {
  status: BroadcastStatus;
  sent: number;
  failed: number;
  skipped: number;
  total: number;
}

export interface BroadcastPage extends BroadcastProgress {
  hasMore: boolean;
  /** Until the next page: when a recipient is due, or another job of the project has had its turn. */
  waitMs: number;
  /** The project may not send: the workflow ends, and the relay starts it again when it may. */
  isPaused?: boolean;
}

/** One page: long enough to keep histories short, short enough that a shutdown need not wait. */
const PAGE_MS = 60_000;
/** Until a job asks again whether it is its turn among those of its project. */
const BUSY_MS = 15_000;
const HEARTBEAT_MS = 2_000;

export type BroadcastActivities = ReturnType<typeof createBroadcastActivities>;

export interface BroadcastActivityDeps extends Core {
  /** Aborted on shutdown: pages end early, with all results recorded. */
  stopping: AbortSignal;
}

/** The activities of the `broadcast` workflow. Each is idempotent: the rows show what is left to do. */
export function createBroadcastActivities(deps: BroadcastActivityDeps) {
  async function progress(jobId: string): Promise<BroadcastProgress> {
    const found = await findBroadcast(deps.pool, jobId);
    if (!found) return { status: 'cancelled', sent: 0, failed: 0, skipped: 0, total: 0 };
    const { status, sent, failed, skipped, total } = found;
    return { status, sent, failed, skipped, total };
  }

  return {
    /** Sends for up to a minute. Progress and cancellation are in the rows. */
    sendPage: reported(({ jobId }: BroadcastRef): Promise<BroadcastPage> =>
      withHeartbeats(HEARTBEAT_MS, async () => {
        const signal = AbortSignal.any([deps.stopping, cancellationSignal()]);
        const end = await runBroadcast(deps, jobId, { signal, pageMs: PAGE_MS });
        const waitMs = end === 'more' ? await msUntilDue(deps.pool, jobId) : end === 'busy' ? BUSY_MS : 0;
        const page = { ...(await progress(jobId)), hasMore: end === 'more' || end === 'busy', waitMs };
        return end === 'paused' ? { ...page, isPaused: true } : page;
      }),
    ),

    /** Ends the broadcast if no recipients are left, and returns its progress. */
    finishBroadcast: reported(async ({ jobId }: BroadcastRef): Promise<BroadcastProgress> => {
      await finishBroadcast(deps, jobId, { workerIsGone: true });
      const now = await progress(jobId);
      deps.log.info({ broadcast_id: jobId, ...now }, 'broadcast');
      return now;
    }),

    /** Runs when an operator cancels the workflow in the Temporal UI: the row must be cancelled too. */
    cancelBroadcast: reported(async ({ jobId }: BroadcastRef): Promise<void> => {
      await markCancelling(deps.pool, jobId);
      await finishBroadcast(deps, jobId, { workerIsGone: true });
    }),
  };
}
