import type { Client } from '@temporalio/client';
import type pg from 'pg';
import { restartDelivery } from '../webhooks/queries/deliveries';
import { findOpenSession, startedOpenDeliveries, startedOpenSessions } from './queries/recovery';
import type { SessionStarter } from '../login/workflow';
import { isWorkflowRunning } from '../temporal/existence';
import { workflowIds } from '../temporal/names';
import { inParallel } from '../lib/in-parallel';

export interface RecoverDeps {
  pool: pg.Pool;
  client: Client;
  starter: Pick<SessionStarter, 'startAgain'>;
  onProgress: (done: number, total: number) => void;
}

export interface Recovered {
  sessions_open: number;
  sessions_restarted: number;
  deliveries_open: number;
  /** Put into the relay's queue: it starts them at its pace, and each waits for its place in its schedule. */
  deliveries_restarted: number;
}

/** More questions at once make a Temporal server slower, not faster. */
const AT_ONCE = 8;
const START_LIMIT_MS = 10_000;

/**
 * After Temporal's store was lost, or restored from an older backup: every open row whose workflow does not run gets
 * one, with the same id and at its own place in time, because both stand in the row. What runs is left alone, so it
 * may be run at any time and again.
 */
export async function recover({ pool, client, starter, onProgress }: RecoverDeps): Promise<Recovered> {
  const sessions = await startedOpenSessions(pool);
  const deliveries = await startedOpenDeliveries(pool);
  const total = sessions.length + deliveries.length;
  let done = 0;
  let sessionsRestarted = 0;
  let deliveriesRestarted = 0;

  await inParallel(sessions, AT_ONCE, async (id) => {
    if (!(await isWorkflowRunning(client, workflowIds.authSession(id)))) {
      // Asked after the workflow: one that has just ended has written its end before.
      const session = await findOpenSession(pool, id);
      if (session) {
        await starter.startAgain(session, START_LIMIT_MS);
        sessionsRestarted += 1;
      }
    }
    onProgress((done += 1), total);
  });
  await inParallel(deliveries, AT_ONCE, async (id) => {
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
  };
}
