import {
  WorkflowExecutionAlreadyStartedError,
  type Client,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type pg from 'pg';
import type { authSession } from '../../workflows/auth-session';
import {
  claimUnstartedSessions,
  findStartableSession,
  haveManyJustArrived,
  markSessionsStarted,
  type StartableSession,
} from './queries/sessions';
import { notifyChannels, type Notifications } from '../db/notify';
import { createGatherer } from '../lib/batch';
import type { Logger } from '../lib/log';
import { type FloodMark, createFlood } from '../lib/flood';
import { searchAttributes, signals, workflowIds, type TaskQueues } from '../temporal/names';
import { startRelay, type Relay } from '../temporal/relay';
import { createStepBack } from './step-back';
import { within } from '../temporal/within';

export interface SessionStarter {
  /**
   * For a session that is being created: a place for one start that would be quick, or null, because a flood is left to
   * the relay, which starts it at Temporal's pace. To be left again, whatever happens.
   */
  takePlace(): { leave(): void } | null;
  /** Starts the session's workflow, whoever asks and however often. */
  start(session: StartableSession, deadlineMs: number): Promise<void>;
  /** Starts it although an earlier run has ended: only where the row is known to be open still. */
  startAgain(session: StartableSession, deadlineMs: number): Promise<void>;
  /** Tells the workflow that an answer is stored; starts it first where it was not. */
  tellAnswered(sessionId: string, updateId: number): Promise<void>;
}

const SIGNAL_DEADLINE_MS = 5_000;
const PLACES = 2;
const MARKED_TOGETHER = 50;
/** More a second than a Temporal server on a small machine can start, several times over. */
const FLOOD: FloodMark = { perSecond: 100, windowMs: 500 };

export function createSessionStarter({
  client,
  pool,
  queues,
}: {
  client: Client;
  pool: pg.Pool;
  queues: TaskQueues;
}): SessionStarter {
  function options({ id, project_id, flow, wait_ms }: StartableSession) {
    return {
      workflowId: workflowIds.authSession(id),
      taskQueue: queues.logins,
      args: [{ sessionId: id, projectId: project_id, flow, waitMs: Math.max(1, wait_ms) }],
      // A second start while it runs finds it running; one after its end must not run it again.
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      workflowTaskTimeout: '5 seconds',
      staticSummary: flow === 'static' ? 'login by static link' : 'login by session',
      typedSearchAttributes: [
        { key: searchAttributes.ProjectId, value: project_id },
        { key: searchAttributes.AuthFlow, value: flow },
        { key: searchAttributes.AuthStatus, value: 'pending' },
      ],
    } satisfies WorkflowStartOptions<typeof authSession>;
  }

  let placesTaken = 0;
  const flood = createFlood(FLOOD);
  const markStarted = createGatherer<string, void>(
    async (_all, ids) => {
      await markSessionsStarted(pool, ids);
      return ids.map(() => undefined);
    },
    { most: MARKED_TOGETHER },
  );

  return {
    takePlace() {
      flood.arrived();
      if (placesTaken >= PLACES || flood.isOn()) return null;
      placesTaken += 1;
      return { leave: () => void (placesTaken -= 1) };
    },
    async start(session, deadlineMs) {
      await within(client, deadlineMs, () =>
        ignoreAlreadyStarted(client.workflow.start<typeof authSession>('authSession', options(session))),
      );
      await markStarted('sessions', session.id);
    },
    async startAgain(session, deadlineMs) {
      const again = { ...options(session), workflowIdReusePolicy: 'ALLOW_DUPLICATE' } as const;
      await within(client, deadlineMs, () => client.workflow.start<typeof authSession>('authSession', again));
    },
    async tellAnswered(sessionId, updateId) {
      const session = await findStartableSession(pool, sessionId);
      if (!session) return;
      await within(client, SIGNAL_DEADLINE_MS, () =>
        ignoreAlreadyStarted(
          client.workflow.signalWithStart<typeof authSession, [{ updateId: number }]>('authSession', {
            ...options(session),
            signal: signals.answered,
            signalArgs: [{ updateId }],
          }),
        ),
      );
    },
  };
}

/** The session's workflow has ended: its row says how, and there is nothing left to start. */
async function ignoreAlreadyStarted(start: Promise<unknown>): Promise<void> {
  try {
    await start;
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

const RELAY_START_DEADLINE_MS = 5_000;

/**
 * Starts the workflows that the API did not start: it answers 201 even while Temporal is away, and leaves a flood to
 * the relay. Nobody waits for those, so they give way to the requests.
 */
export function startSessionRelay(deps: {
  pool: pg.Pool;
  notifications: Notifications;
  starter: SessionStarter;
  log: Logger;
}): Relay {
  const stepBack = createStepBack();
  const isFlooded = () => haveManyJustArrived(deps.pool, FLOOD.perSecond);
  return startRelay({
    name: 'sessions',
    channel: notifyChannels.sessionStart,
    notifications: deps.notifications,
    sweepMs: 1_000,
    concurrency: 2,
    async claim(limit) {
      await stepBack.rested(isFlooded);
      return claimUnstartedSessions(deps.pool, limit);
    },
    start: (session) => stepBack.timed(() => deps.starter.start(session, RELAY_START_DEADLINE_MS)),
    log: deps.log,
  });
}
