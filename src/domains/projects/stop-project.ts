import type pg from 'pg';
import { createRegistry } from '../../base/lib/registry';
import { countWaitingNotices } from './queries/notices';

/** What an inactive project keeps waiting, by kind, and the logins that have ended with it. */
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

/** Does what a domain must do when a project becomes inactive, and counts what it has stopped. Safe to repeat. */
export type StopWork = (pool: pg.Pool, projectId: string) => Promise<Partial<StoppedWork>>;

export const stoppedWork = createRegistry<StopWork>('stoppedWork');

/**
 * Called after the project became inactive: nothing is claimed from that commit on, whether this runs to its end or not.
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
