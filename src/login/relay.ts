import type pg from 'pg';
import type { Logger } from '../lib/log';
import { startRelay, type Relay } from '../temporal/relay';
import { claimUnstartedSessions } from './queries/starts';
import type { SessionStarter } from './workflow-client';

const SWEEP_MS = 1_000;
const CONCURRENCY = 4;
/** Less than the lease of a claim, so that no second start is made meanwhile. */
const START_DEADLINE_MS = 5_000;

/** Starts and wakes the workflows that the API and the bots did not: Temporal was unavailable, or the process died. */
export function startSessionRelay({
  pool,
  starter,
  log,
}: {
  pool: pg.Pool;
  starter: Pick<SessionStarter, 'start' | 'signalCancelled'>;
  log: Logger;
}): Relay {
  return startRelay({
    name: 'sessions',
    sweepMs: SWEEP_MS,
    concurrency: CONCURRENCY,
    claim: (limit) => claimUnstartedSessions(pool, limit),
    start: (session) =>
      session.cancelled
        ? starter.signalCancelled(session, START_DEADLINE_MS)
        : starter.start(session, START_DEADLINE_MS),
    log,
  });
}
