import { WorkflowExecutionAlreadyStartedError, type WorkflowStartOptions } from '@temporalio/client';
import type { Core } from '../../base/core';
import type { Logger } from '../../base/lib/log';
import { searchAttributes, signals, workflowIds } from '../../base/temporal/names';
import { wakeWorkflow } from '../../base/temporal/wake-workflows';
import { within } from '../../base/temporal/within';
import { flows } from './flows';
import {
  findOpenSession,
  markSessionStarted,
  markSessionWoken,
  type StartableSession,
} from './queries/starts';
import type { AuthSessionWorkflow } from './workflow-input';

export interface SessionStarter {
  /** Starts the session's workflow and records it in the row. A workflow that was started before counts as success. */
  start(session: StartableSession, deadlineMs: number): Promise<void>;
  /** Starts it even if an earlier run has ended. Only for a session whose row is still open. */
  startAgain(session: StartableSession, deadlineMs: number): Promise<void>;
  /**
   * Signals that the row has changed, for example by an answer, and starts the workflow if its start was lost or its run was
   * terminated.
   */
  signalChanged(session: StartableSession): Promise<void>;
  /** After the commit: the workflow ends at once. Not waited for; if the signal is lost, the code's timer ends it. */
  signalRedeemed(sessionId: string): void;
  /** Wakes the workflow of a session that was ended by its row, and records it in the row. */
  signalCancelled(session: StartableSession, deadlineMs: number): Promise<void>;
}

const SIGNAL_DEADLINE_MS = 5_000;
/** A caller who creates or cancels a session waits no longer than this for Temporal. */
export const REQUEST_DEADLINE_MS = 1_000;

export function createSessionStarter({
  client,
  eagerClient,
  pool,
  queues,
}: Pick<Core, 'client' | 'eagerClient' | 'pool' | 'queues'>): SessionStarter {
  function options({ id, project_id, project_slug, flow, wait_ms }: StartableSession) {
    const project = project_slug ? ` (${project_slug})` : '';
    const { summary, asks } = flows[flow];
    return {
      workflowId: workflowIds.authSession(id),
      taskQueue: queues.logins,
      args: [{ sessionId: id, projectId: project_id, flow, waitMs: Math.max(1, wait_ms) }],
      // A second start while the workflow runs finds it running; one after its end must not run it again.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowTaskTimeout: '5 seconds',
      staticSummary: summary + project,
      staticDetails: `${asks === 'subscribers' ? 'Asks the subscriber in the messenger' : 'Asks the user who opens the link'}. State: herald sessions show ${id}`,
      typedSearchAttributes: [
        { key: searchAttributes.ProjectId, value: project_id },
        { key: searchAttributes.AuthFlow, value: flow },
        { key: searchAttributes.AuthStatus, value: 'pending' },
      ],
    } satisfies WorkflowStartOptions<AuthSessionWorkflow>;
  }

  async function signal(session: StartableSession, deadlineMs: number): Promise<void> {
    const signalWithStart = (again: Pick<WorkflowStartOptions, 'workflowIdReusePolicy'> = {}) =>
      within(client, deadlineMs, () =>
        client.workflow.signalWithStart<AuthSessionWorkflow, []>('authSession', {
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
      // Where the worker is in this process, it gets the first task with the response.
      const eager = eagerClient();
      const starting = eager ?? client;
      await within(starting, deadlineMs, () =>
        ignoreAlreadyStarted(
          starting.workflow.start<AuthSessionWorkflow>('authSession', {
            ...options(session),
            requestEagerStart: eager !== null,
          }),
        ),
      );
      await markSessionStarted(pool, session.id);
    },
    async startAgain(session, deadlineMs) {
      const again = { ...options(session), workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
      await within(client, deadlineMs, () =>
        client.workflow.start<AuthSessionWorkflow>('authSession', again),
      );
    },
    signalChanged: (session) => signal(session, SIGNAL_DEADLINE_MS),
    signalRedeemed(sessionId) {
      wakeWorkflow(client, workflowIds.authSession(sessionId), signals.redeemed).catch(() => {});
    },
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
