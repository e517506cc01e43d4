import type { SessionFlow } from '../contract';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';

/** What a start of the session's workflow needs. */
export interface StartableSession {
  id: string;
  project_id: string;
  /** For the summary that operators read in the Temporal UI. */
  project_slug?: string;
  flow: SessionFlow;
  /** Until the session's end, by the database's clock. */
  wait_ms: number;
}

/** How long the relay leaves a new session alone: the process that inserted it starts the workflow itself. */
export const START_LEASE = `interval '5 seconds'`;

/** Columns of a session `s`. Its workflow waits only if the user has not answered yet. */
const STARTABLE = `s.id, s.project_id, s.flow, (SELECT slug FROM projects p WHERE p.id = s.project_id) AS project_slug,
       CASE WHEN s.status = 'pending' AND NOT EXISTS (SELECT 1 FROM auth_answers a WHERE a.session_id = s.id)
         THEN ceil(extract(epoch FROM s.expires_at - clock_timestamp()) * 1000) ELSE 0 END::float8 AS wait_ms`;

/** A session whose workflow must be started or, if its row has ended without it, woken. */
export interface UnstartedSession extends StartableSession {
  cancelled: boolean;
}

/** SQL: no process has claimed the session. */
const FREE = '(start_leased_until IS NULL OR start_leased_until < clock_timestamp())';

/**
 * Claims sessions whose workflow has not been started or woken. The lease outlasts the relay's own call to Temporal; the
 * sessions of a relay that died are claimed again when it ends.
 */
export function claimUnstartedSessions(db: Db, limit: number): Promise<UnstartedSession[]> {
  return rows<UnstartedSession>(
    db,
    'claim_unstarted_sessions',
    `UPDATE auth_sessions s SET start_leased_until = clock_timestamp() + interval '10 seconds'
     WHERE s.id IN (
       SELECT id FROM auth_sessions WHERE workflow_started_at IS NULL AND ${FREE}
       ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING ${STARTABLE}, s.status IN ('declined', 'expired') AS cancelled`,
    [limit],
  );
}

/**
 * Claims open sessions that should have moved half a minute ago, although their workflow was started: one with a stored answer
 * is settled at once, the others at their end, and a code expires at its own. Each is claimed again after two minutes.
 */
export function claimOverdueSessions(db: Db, limit: number): Promise<StartableSession[]> {
  return rows<StartableSession>(
    db,
    'claim_overdue_sessions',
    `UPDATE auth_sessions s SET start_leased_until = clock_timestamp() + interval '2 minutes'
     WHERE s.id IN (
       SELECT o.id FROM auth_sessions o
       WHERE o.status IN ('pending', 'confirmed') AND o.workflow_started_at IS NOT NULL AND ${FREE}
         AND (coalesce(o.code_expires_at, o.expires_at) < now() - interval '30 seconds'
           OR o.status = 'pending' AND EXISTS (
             SELECT 1 FROM auth_answers a WHERE a.session_id = o.id AND a.received_at < now() - interval '30 seconds'))
       ORDER BY o.expires_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING ${STARTABLE}`,
    [limit],
  );
}

/** The workflow of a session that its row has ended must be woken: by the caller or, after the lease, by the relay. */
export function requestWakeUp(db: Db, sessionId: string): Promise<number> {
  return change(
    db,
    'request_session_wake_up',
    `UPDATE auth_sessions SET workflow_started_at = NULL, start_leased_until = clock_timestamp() + ${START_LEASE}
     WHERE id = $1`,
    [sessionId],
  );
}

/** A session that has ended during the start stays unmarked: its workflow must still be woken. */
export function markSessionStarted(db: Db, sessionId: string): Promise<number> {
  return change(
    db,
    'session_started',
    `UPDATE auth_sessions SET workflow_started_at = clock_timestamp()
     WHERE id = $1 AND workflow_started_at IS NULL AND status NOT IN ('declined', 'expired')`,
    [sessionId],
  );
}

export function markSessionWoken(db: Db, sessionId: string): Promise<number> {
  return change(
    db,
    'session_woken',
    'UPDATE auth_sessions SET workflow_started_at = clock_timestamp() WHERE id = $1 AND workflow_started_at IS NULL',
    [sessionId],
  );
}

/** The data needed to start the session's workflow; null if it has ended. */
export function findOpenSession(db: Db, id: string): Promise<StartableSession | null> {
  return row<StartableSession>(
    db,
    'find_open_session',
    `SELECT ${STARTABLE} FROM auth_sessions s WHERE s.id = $1 AND s.status IN ('pending', 'confirmed')`,
    [id],
  );
}
