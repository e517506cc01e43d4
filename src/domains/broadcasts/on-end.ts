import type pg from 'pg';
import { createRegistry } from '../../base/lib/registry';
import type { JobEnd } from './queries/ends';

/** A broadcast that has just ended, with what it was started for. */
export interface EndedBroadcast {
  id: string;
  project_id: string;
  scheduled_id: string | null;
  run_id: string | null;
  isCancelled: boolean;
  counts: Pick<JobEnd, 'sent' | 'failed' | 'skipped' | 'total'>;
  ended_at: Date;
}

/** Ends what the broadcast was started for, in the same transaction. */
export type BroadcastEndHook = (db: pg.PoolClient, broadcast: EndedBroadcast) => Promise<void>;

export const broadcastEndHooks = createRegistry<BroadcastEndHook>('broadcastEndHooks');
