import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { makeDue } from '../../base/agenda';
import { RECURRING } from '../../domains/recurring/queries/recurring';
import { SCHEDULED } from '../../domains/scheduled/queries/scheduled';
import { DRIP } from '../../domains/drip/queries/enrolments';
import { inParallel } from '../../base/lib/in-parallel';
import { startedOpenSessions } from '../../domains/login/queries/operators';
import { findOpenSession } from '../../domains/login/queries/starts';
import type { SessionStarter } from '../../domains/login/workflow-client';
import { isWorkflowRunning } from '../../base/temporal/is-workflow-running';
import { workflowIds } from '../../base/temporal/names';
import { restartDelivery } from '../../domains/webhooks/queries/deliveries';
import { startedOpenDeliveries } from '../../domains/webhooks/queries/operators';

export interface RecoverDeps {
  pool: pg.Pool;
  client: Client;
  starter: Pick<SessionStarter, 'startAgain'>;
  onProgress: (done: number, total: number) => void;
}

export interface RecoveryResult {
  sessions_open: number;
  sessions_restarted: number;
  deliveries_open: number;
  /** Queued for the relay, which starts them at its own rate; each keeps its place in its retry schedule. */
  deliveries_restarted: number;
  /** The agenda starts a workflow for each that has none. */
  scheduled_open: number;
  /** As above; those of chains that are not active wait without a workflow. */
  enrolments_open: number;
  /** As above; a paused one without an end has no workflow. */
  recurring_open: number;
}

/** More concurrent queries make a Temporal server slower, not faster. */
const CONCURRENCY = 8;
const START_LIMIT_MS = 10_000;

/**
 * Restarts workflows after Temporal's store was lost or restored from an older backup: every open row without a running
 * workflow gets one, with the same id and the same deadlines, since the row has both. Running workflows are left alone,
 * so it can be run at any time and repeatedly.
 */
export async function recover({ pool, client, starter, onProgress }: RecoverDeps): Promise<RecoveryResult> {
  const sessions = await startedOpenSessions(pool);
  const deliveries = await startedOpenDeliveries(pool);
  const scheduledOpen = await makeDue(pool, SCHEDULED);
  const enrolmentsOpen = await makeDue(pool, DRIP);
  const recurringOpen = await makeDue(pool, RECURRING);
  const total = sessions.length + deliveries.length;
  let done = 0;
  let sessionsRestarted = 0;
  let deliveriesRestarted = 0;

  await inParallel(sessions, CONCURRENCY, async (id) => {
    if (!(await isWorkflowRunning(client, workflowIds.authSession(id)))) {
      // Read after checking the workflow: a workflow that has just ended wrote its end first.
      const session = await findOpenSession(pool, id);
      if (session) {
        await starter.startAgain(session, START_LIMIT_MS);
        sessionsRestarted += 1;
      }
    }
    onProgress((done += 1), total);
  });
  await inParallel(deliveries, CONCURRENCY, async (id) => {
    if (!(await isWorkflowRunning(client, workflowIds.delivery(id)))) {
      const restarted = await restartDelivery(pool, id);
      deliveriesRestarted += restarted;
    }
    onProgress((done += 1), total);
  });
  return {
    sessions_open: sessions.length,
    sessions_restarted: sessionsRestarted,
    deliveries_open: deliveries.length,
    deliveries_restarted: deliveriesRestarted,
    scheduled_open: scheduledOpen,
    enrolments_open: enrolmentsOpen,
    recurring_open: recurringOpen,
  };
}
