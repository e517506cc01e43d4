import { cancellationSignal } from '@temporalio/activity';
import type { RowState } from '../src/base/agenda';
import type { BroadcastStatus } from '../src/domains/broadcasts/contract';
import { finishBroadcast } from '../src/domains/broadcasts/jobs';
import { findBroadcast, markCancelling } from '../src/domains/broadcasts/queries/broadcasts';
import { msUntilDue } from '../src/domains/broadcasts/queries/claims';
import { reportRun } from '../src/domains/broadcasts/queries/runs';
import { runBroadcast } from '../src/domains/broadcasts/run';
import type { Core } from '../src/base/core';
import { withTransaction } from '../src/base/db/pool';
import { reported } from './failures';
import { withHeartbeats } from './heartbeats';

export interface BroadcastRef {
  jobId: string;
}

/** Only counts, times and statuses, because operators can read histories. */
export interface BroadcastState extends RowState {
  /** `parked`: the project is inactive; the agenda starts a new workflow when it is active again. */
  status: BroadcastStatus | 'parked';
  sent: number;
  failed: number;
  skipped: number;
  total: number;
}

/** One page: long enough to keep histories short, short enough that a shutdown need not wait. */
const PAGE_MS = 60_000;
/** The pause of a job that waits for its turn among the jobs of its project. */
const BUSY_MS = 15_000;
/** The pause before the end of a broadcast that another run is still sending is written again. */
const CHECK_AGAIN_MS = 1_000;
const HEARTBEAT_MS = 2_000;

export type BroadcastActivities = ReturnType<typeof createBroadcastActivities>;

export interface BroadcastActivityDeps extends Core {
  /** Aborted on shutdown: pages end early, with all results recorded. */
  stopping: AbortSignal;
}

/** The activities of the `broadcast` workflow. Each is idempotent: the rows show what is left to do. */
export function createBroadcastActivities(deps: BroadcastActivityDeps) {
  async function stateOf(jobId: string, nextInMs: number | null): Promise<BroadcastState> {
    const next = {
      nextAt: nextInMs === null ? null : new Date(Date.now() + nextInMs).toISOString(),
      waitMs: nextInMs ?? 0,
    };
    const found = await findBroadcast(deps.pool, jobId);
    const gone = { status: 'cancelled' as const, sent: 0, failed: 0, skipped: 0, total: 0 };
    const { status, sent, failed, skipped, total } = found ?? gone;
    const left = total - sent - failed - skipped;
    const progress = `${sent} sent, ${failed} failed, ${skipped} skipped, ${left} left of ${total}`;
    return { status, sent, failed, skipped, total, progress, ...next };
  }

  /** A page that ends early is due when its next recipient is, or when another job of the project has had its turn. */
  async function msUntilNext(jobId: string, end: 'more' | 'busy'): Promise<number> {
    const waitMs = end === 'busy' ? BUSY_MS : await msUntilDue(deps.pool, jobId);
    return (await reportRun(deps.pool, jobId, { inMs: waitMs })) ? waitMs : 0;
  }

  return {
    /** Sends for up to a minute. Progress and cancellation are in the rows. */
    sendPage: reported(({ jobId }: BroadcastRef): Promise<BroadcastState> =>
      withHeartbeats(HEARTBEAT_MS, async () => {
        const signal = AbortSignal.any([deps.stopping, cancellationSignal()]);
        const end = await runBroadcast(deps, jobId, { signal, pageMs: PAGE_MS });
        if (end === 'more' || end === 'busy') return stateOf(jobId, await msUntilNext(jobId, end));
        const state = await stateOf(jobId, null);
        return end === 'parked' ? { ...state, status: 'parked' } : state;
      }),
    ),

    /** Ends the broadcast if no recipients are left. Repeated while another run that has taken it over still sends. */
    finishBroadcast: reported(async ({ jobId }: BroadcastRef): Promise<BroadcastState> => {
      const isEnded = await finishBroadcast(deps, jobId, { workerIsGone: true });
      const state = await stateOf(jobId, isEnded ? null : CHECK_AGAIN_MS);
      deps.log.info({ broadcast_id: jobId, ...state }, 'broadcast');
      return state;
    }),

    /** Runs when an operator cancels the workflow in the Temporal UI: the row must be cancelled too. */
    cancelBroadcast: reported(async ({ jobId }: BroadcastRef): Promise<void> => {
      await withTransaction(deps.pool, (db) => markCancelling(db, jobId));
      await finishBroadcast(deps, jobId, { workerIsGone: true });
    }),
  };
}
