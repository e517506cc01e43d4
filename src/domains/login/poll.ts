import type pg from 'pg';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import { createBatcher } from '../../base/lib/batch';
import type { SessionStatusBody } from './contract';
import { flows, type Flow } from './flows';
import { presentStatus } from './present';
import { pollSessions, viewSession, type Poll, type SessionView } from './queries/status';
import type { SessionWaiter } from './session-waiter';

/** Polls that arrive while a statement is in flight share the next one. */
const POLLS_PER_STATEMENT = 100;

export type ReadPolled = (poll: Poll) => Promise<SessionView | null>;

export function createPollReader(pool: pg.Pool): ReadPolled {
  const { write } = createBatcher((polls: Poll[]) => pollSessions(pool, polls), {
    size: POLLS_PER_STATEMENT,
  });
  return write;
}

export interface PollDeps extends Pick<Core, 'pool' | 'cipher'> {
  waiter: SessionWaiter;
}

/** Reads a session for a project's backend, at most once a second. */
export async function readAsProject(
  readPolled: ReadPolled,
  projectId: string,
  sessionId: string,
  resource: Flow['resource'] = 'session',
): Promise<SessionView> {
  const view = await readPolled({ projectId, sessionId });
  if (!view || flows[view.flow].resource !== resource) throw new AppError('not_found');
  if (!view.allowed) throw new AppError('slow_down', undefined, { retryAfter: limits.authPollSeconds });
  return view;
}

/** Reads a session for its hosted page, whose polls are not counted. */
export async function readAsPage({ pool }: PollDeps, sessionId: string): Promise<SessionView> {
  return orNotFound(await viewSession(pool, sessionId));
}

/** A poll reads the session again after this time, because a notification is lost if its process dies after the commit. */
const RECHECK_MS = 5_000;

interface Wait {
  sessionId: string;
  waitSeconds: number;
}

/** The status of a session. */
export async function pollStatus(
  deps: PollDeps,
  access: () => AbortSignal,
  wait: Wait,
  read: () => Promise<SessionView>,
): Promise<SessionStatusBody> {
  return presentStatus(await pollView(deps, access, wait, read), deps.cipher);
}

/**
 * With a wait, a pending session is reported when it changes or when the wait is over, whichever is first; the wait ends
 * early if the client disconnects or loses its access.
 */
export async function pollView(
  { pool, waiter }: PollDeps,
  access: () => AbortSignal,
  { sessionId, waitSeconds }: Wait,
  read: () => Promise<SessionView>,
): Promise<SessionView> {
  // Watched before the first read, so that no change between the two is missed.
  const watch = waitSeconds > 0 ? waiter.watch(sessionId) : null;
  try {
    const until = performance.now() + waitSeconds * 1000;
    let view = await read();
    if (!watch || view.status !== 'pending') return view;
    const ended = access();
    for (;;) {
      const isChanged = await watch.wait(Math.min(RECHECK_MS, until - performance.now()), ended);
      if (ended.reason instanceof AppError) throw ended.reason;
      view = (await viewSession(pool, sessionId)) ?? view;
      if (isChanged || view.status !== 'pending' || performance.now() >= until) return view;
    }
  } finally {
    watch?.done();
  }
}
