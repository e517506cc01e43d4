import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type pg from 'pg';
import type { Logger } from '../lib/log';
import type { authSession } from '../../workflows/auth-session';
import { searchAttributes, signals, workflowIds, type TaskQueues } from '../temporal/names';
import { within } from '../temporal/within';
import { flows } from './flows';
import {
  findOpenSession,
  markSessionStarted,
  markSessionWoken,
  type StartableSession,
} from './queries/starts';

export interface SessionStarter {
  /** Starts the session's workflow and records it in the row. A workflow that was started before counts as success. */
  start(session: StartableSession, deadlineMs: number): Promise<void>;
  /** Starts it even if an earlier run has ended. Only for a session whose row is still open. */
  startAgain(session: StartableSession, deadlineMs: number): Promise<void>;
  /** Signals that an answer is stored, and starts the workflow if its start was lost or its run was terminated. */
  signalAnswer(session: StartableSession): Promise<void>;
  /** Wakes the workflow of a session that was ended by its row, and records it in the row. */
  signalCancelled(session: StartableSession, deadlineMs: number): Promise<void>;
}

const SIGNAL_DEADLINE_MS = 5_000;
/** A caller who creates or cancels a session waits no longer than this for Temporal. */
export const REQUEST_DEADLINE_MS = 1_000;

export function createSessionStarter({
  client,
  pool,
  queues,
}: {
  client: Client;
  pool: pg.Pool;
  queues: TaskQueues;
}): SessionStarter {
  function options({ id, project_id, project_slug, flow, wait_ms }: StartableSession) {
    const project = project_slug ? ` (${project_slug})` : '';
    const { summary, asks } = flows[flow];
    const asksFirst = asks === 'subscribers';
    return {
      workflowId: workflowIds.authSession(id),
      taskQueue: queues.logins,
      // A workflow that begins with the question waits itself.
      args: [{ sessionId: id, projectId: project_id, flow, waitMs: asksFirst ? Math.max(1, wait_ms) : 0 }],
      // A second start while the workflow runs finds it running; one after its end must not run it again.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowTaskTimeout: '5 seconds',
      staticSummary: summary + project,
      staticDetails: `${asksFirst ? 'Asks the subscriber in the messenger' : 'Starts when the user answers in the messenger, or when the session expires'}. State: herald sessions show ${id}`,
      typedSearchAttributes: [
        { key: searchAttributes.ProjectId, value: project_id },
        { key: searchAttributes.AuthFlow, value: flow },
        { key: searchAttributes.AuthStatus, value: 'pending' },
      ],
    } satisfies WorkflowStartOptions<typeof authSession>;
  }

  /**
   * The server holds the first task back until the session's end; a signal with start ends the delay. So a session has
   * one history event while it waits, and no worker handles an unanswered one before its end.
   */
  function delayedOptions(session: StartableSession) {
    const isDelayed = flows[session.flow].asks === 'opener' && session.wait_ms > 0;
    return { ...options(session), ...(isDelayed ? { startDelay: session.wait_ms } : {}) };
  }

  async function signal(session: StartableSession, deadlineMs: number): Promise<void> {
    const signalWithStart = (again: Pick<WorkflowStartOptions, 'workflowIdReusePolicy'> = {}) =>
      within(client, deadlineMs, () =>
        client.workflow.signalWithStart<typeof authSession, []>('authSession', {
          ...options(session),
          ...again,
          signal: signals.changed,
        }),
      );
    try {
      await signalWithStart();
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      // The run has ended. If it was terminated, the session is still open and the answer needs another run.
      if (await findOpenSession(pool, session.id)) {
        await signalWithStart({ workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
      }
    }
  }

  return {
    async start(session, deadlineMs) {
      await within(client, deadlineMs, () =>
        ignoreAlreadyStarted(
          client.workflow.start<typeof authSession>('authSession', delayedOptions(session)),
        ),
      );
      await markSessionStarted(pool, session.id);
    },
    async startAgain(session, deadlineMs) {
      const again = { ...delayedOptions(session), workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
      await within(client, deadlineMs, () => client.workflow.start<typeof authSession>('authSession', again));
    },
    signalAnswer: (session) => signal(session, SIGNAL_DEADLINE_MS),
    async signalCancelled(session, deadlineMs) {
      await signal(session, deadlineMs);
      await markSessionWoken(pool, session.id);
    },
  };
}

/** Tries the start once. A session that does not start in time is started by the relay when its lease ends. */
export async function startOrLeaveToRelay(
  { starter, log }: { starter: Pick<SessionStarter, 'start'>; log: Logger },
  session: StartableSession,
): Promise<void> {
  try {
    await starter.start(session, REQUEST_DEADLINE_MS);
  } catch (err) {
    log.warn({ err, session_id: session.id }, 'the workflow did not start in time; the relay will start it');
  }
}

/** The session's workflow has ended; its row holds the outcome, and there is nothing left to start. */
async function ignoreAlreadyStarted(start: Promise<unknown>): Promise<void> {
  try {
    await start;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
