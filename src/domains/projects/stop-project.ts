import type pg from 'pg';
import { createRegistry } from '../../base/lib/registry';
import { countWaitingNotices } from './queries/notices';

/** How much of an inactive project waits, by kind, and how many open logins were ended. */
export interface StoppedWork {
  broadcasts: number;
  batches: number;
  scheduled: number;
  recurring: number;
  enrolments: number;
  submissions: number;
  notices: number;
  /** Ended as expired, not waiting. */
  sessions: number;
}

/** Ends what a domain must end when a project becomes inactive, and counts what waits. Safe to repeat. */
export type StopWork = (pool: pg.Pool, projectId: string) => Promise<Partial<StoppedWork>>;

export const stoppedWork = createRegistry<StopWork>('stoppedWork');

/**
 * Called after the project became inactive. Nothing is claimed from that commit on, even if this does not run to its end.
 * Counts are bounded.
 */
export async function stopProject(pool: pg.Pool, projectId: string): Promise<StoppedWork> {
  const stopped: StoppedWork = {
    broadcasts: 0,
    batches: 0,
    scheduled: 0,
    recurring: 0,
    enrolments: 0,
    submissions: 0,
    notices: await countWaitingNotices(pool, projectId),
    sessions: 0,
  };
  for (const stop of stoppedWork.entries()) Object.assign(stopped, await stop(pool, projectId));
  return stopped;
}
