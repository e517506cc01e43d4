import type { Db } from '../../db/pool';
import { change, row } from '../../db/query';
import type { KeyedProject } from '../contract';
import { PROJECT_COLUMNS } from './projects';

/** Inserts a session and deletes expired ones, and the oldest ones of the key beyond `max`. */
export async function insertDashboardSession(
  db: Db,
  session: { hash: Buffer; key_id: string; hours: number; max: number },
): Promise<void> {
  await change(
    db,
    'remove_ended_dashboard_sessions',
    'DELETE FROM dashboard_sessions WHERE expires_at < now()',
  );
  await change(
    db,
    'remove_excess_dashboard_sessions',
    `DELETE FROM dashboard_sessions WHERE hash IN (
       SELECT hash FROM dashboard_sessions WHERE key_id = $1 ORDER BY created_at DESC OFFSET $2 - 1)`,
    [session.key_id, session.max],
  );
  await change(
    db,
    'insert_dashboard_session',
    `INSERT INTO dashboard_sessions (hash, key_id, expires_at) VALUES ($1, $2, clock_timestamp() + make_interval(hours => $3))`,
    [session.hash, session.key_id, session.hours],
  );
}

/** The project of a valid session whose key has not been revoked. */
export function findProjectByDashboardSession(db: Db, hash: Buffer): Promise<KeyedProject | null> {
  return row<KeyedProject>(
    db,
    'project_by_dashboard_session',
    `SELECT ${PROJECT_COLUMNS}, k.id AS key_id, k.scopes FROM dashboard_sessions s JOIN api_keys k ON k.id = s.key_id
       JOIN projects p ON p.id = k.project_id
     WHERE s.hash = $1 AND s.expires_at > now() AND k.revoked_at IS NULL`,
    [hash],
  );
}

export function removeDashboardSession(db: Db, hash: Buffer): Promise<number> {
  return change(db, 'remove_dashboard_session', 'DELETE FROM dashboard_sessions WHERE hash = $1', [hash]);
}
