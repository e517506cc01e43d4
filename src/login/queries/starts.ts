import type { Db } from '../../db/pool';
import { change, rows } from '../../db/query';

/** What a start of the session's workflow needs. */
export interface StartableSession {
  id: string;
  project_id: string;
  flow: 'session' | 'static';
  /** Until the session's end, by the database's clock. */
  wait_ms: number;
}

/** How long the relay leaves a new session alone: the process that inserted it starts the workflow itself. */
export const START_LEASE = `interval '5 seconds'`;

/**
 * Claims sessions whose workflow has not been started. The lease outlasts the relay's own call to Temporal; the
 * sessions of a relay that died are claimed again when it ends.
 */
export function claimUnstartedSessions(db: Db, limit: number): Promise<StartableSession[]> {
  return rows<StartableSession>(
    db,
    'claim_unstarted_sessions',
    `UPDATE auth_sessions s SET start_leased_until = clock_timestamp() + interval '10 seconds'
     WHERE s.id IN (
       SELECT id FROM auth_sessions
       WHERE workflow_started_at IS NULL AND (start_leased_until IS NULL OR start_leased_until < clock_timestamp())
       ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING s.id, s.project_id, s.flow,
       ceil(extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::float8 AS wait_ms`,
    [limit],
  );
}

export function markSessionStarted(db: Db, sessionId: string): Promise<number> {
  return change(
    db,
    'session_started',
    'UPDATE auth_sessions SET workflow_started_at = clock_timestamp() WHERE id = $1 AND workflow_started_at IS NULL',
    [sessionId],
  );
}
