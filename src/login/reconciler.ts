import type { Client } from '@temporalio/client';
import type pg from 'pg';
import type { Logger } from '../lib/log';
import type { PeriodicJob } from '../lib/periodic-job';
import { workflowIds } from '../temporal/names';
import { startReconciler } from '../temporal/reconciler';
import { claimOverdueSessions, findOpenSession } from './queries/starts';
import type { SessionStarter } from './workflow-client';

export interface SessionReconcilerDeps {
  pool: pg.Pool;
  log: Logger;
  client: Client;
  starter: Pick<SessionStarter, 'startAgain'>;
  everyMs?: number;
}

const START_DEADLINE_MS = 5_000;

/**
 * Restarts open sessions whose answer was stored half a minute ago, or whose end has passed, and whose workflow is gone:
 * a stored Yes then completes the login, an unanswered session expires.
 */
export function startSessionReconciler({
  pool,
  log,
  client,
  starter,
  everyMs = 15_000,
}: SessionReconcilerDeps): PeriodicJob {
  return startReconciler({
    name: 'overdue sessions',
    client,
    log,
    everyMs,
    claim: (limit) => claimOverdueSessions(pool, limit),
    workflowId: workflowIds.authSession,
    async restart(id) {
      // Read after checking the workflow: a workflow that has just ended wrote its end first.
      const session = await findOpenSession(pool, id);
      if (session) await starter.startAgain(session, START_DEADLINE_MS);
    },
  });
}
