import type pg from 'pg';
import type { Logger } from '../../base/lib/log';
import { startRelay, type Relay } from '../../base/temporal/relay';
import {
  claimOverdueSessions,
  claimUnstartedSessions,
  type StartableSession,
  type UnstartedSession,
} from './queries/starts';
import type { SessionStarter } from './workflow-client';

const SWEEP_MS = 1_000;
const OVERDUE_SWEEP_MS = 15_000;
const CONCURRENCY = 4;
/** Less than the lease of a claim, so that no second start is made meanwhile. */
const START_DEADLINE_MS = 5_000;

export interface SessionRelayDeps {
  pool: pg.Pool;
  starter: Pick<SessionStarter, 'start' | 'signalChanged' | 'signalCancelled'>;
  log: Logger;
  overdueSweepMs?: number;
}

/**
 * Starts and wakes the workflows that the API and the bots could not, because Temporal was unavailable or the process died. The
 * workflow of an overdue session may be lost: it is signalled, or started again.
 */
export function startSessionRelay({
  pool,
  starter,
  log,
  overdueSweepMs = OVERDUE_SWEEP_MS,
}: SessionRelayDeps): Relay {
  let sweptAt = performance.now();

  async function claim(limit: number): Promise<(StartableSession | UnstartedSession)[]> {
    const unstarted = await claimUnstartedSessions(pool, limit);
    if (unstarted.length > 0 || performance.now() - sweptAt < overdueSweepMs) return unstarted;
    const overdue = await claimOverdueSessions(pool, limit);
    // A full claim may have left some.
    if (overdue.length < limit) sweptAt = performance.now();
    return overdue;
  }

  function start(session: StartableSession | UnstartedSession): Promise<void> {
    if (!('cancelled' in session)) return starter.signalChanged(session);
    return session.cancelled
      ? starter.signalCancelled(session, START_DEADLINE_MS)
      : starter.start(session, START_DEADLINE_MS);
  }

  return startRelay({ name: 'sessions', sweepMs: SWEEP_MS, concurrency: CONCURRENCY, claim, start, log });
}
