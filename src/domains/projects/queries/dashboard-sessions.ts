import type { Role, Scope } from '../../../base/contract/scopes';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { Project } from '../contract';
import { PROJECT_COLUMNS } from './projects';

/** Who has signed in: by an API key, or a person. */
export type SessionOwner = { key_id: string } | { account_id: string; project_id: string | null };

interface NewDashboardSession {
  hash: Buffer;
  owner: SessionOwner;
  ip: string | null;
  user_agent: string | null;
  hours: number;
  max: number;
}

/** SQL: the sessions of the key $1 or the account $2. */
const OWN = '(key_id = $1::uuid OR account_id = $2::uuid)';

/**
 * Inserts a session and deletes expired ones, and the oldest ones of its owner beyond `max`. A session that exists, of a
 * sign-in whose response was lost, stays.
 */
export async function insertDashboardSession(db: Db, session: NewDashboardSession): Promise<void> {
  const [keyId, accountId, projectId] = ownerColumns(session.owner);
  await change(
    db,
    'remove_ended_dashboard_sessions',
    'DELETE FROM dashboard_sessions WHERE expires_at < now()',
  );
  await change(
    db,
    'remove_excess_dashboard_sessions',
    `DELETE FROM dashboard_sessions WHERE hash IN (
       SELECT hash FROM dashboard_sessions WHERE ${OWN} ORDER BY created_at DESC OFFSET $3 - 1)`,
    [keyId, accountId, session.max],
  );
  await change(
    db,
    'insert_dashboard_session',
    `INSERT INTO dashboard_sessions (hash, key_id, account_id, project_id, ip, user_agent, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + make_interval(hours => $7)) ON CONFLICT (hash) DO NOTHING`,
    [session.hash, keyId, accountId, projectId, session.ip, session.user_agent, session.hours],
  );
}

function ownerColumns(owner: SessionOwner): [string | null, string | null, string | null] {
  return 'key_id' in owner ? [owner.key_id, null, null] : [null, owner.account_id, owner.project_id];
}

export type SessionCaller = Project & {
  key_id: string | null;
  account_id: string | null;
  member_id: string | null;
  role: Role | null;
  /** Of the key; null for a member. */
  scopes: Scope[] | null;
  /** The times of the last request are older than a minute. */
  is_unseen: boolean;
};

/**
 * The project and the caller of a valid session: its key has not been revoked, or its account is in the team of the given
 * project, by default the one that it is looking at.
 */
export function findCallerBySession(
  db: Db,
  hash: Buffer,
  projectId: string | null,
): Promise<SessionCaller | null> {
  return row<SessionCaller>(
    db,
    'caller_by_dashboard_session',
    `SELECT ${PROJECT_COLUMNS}, k.id AS key_id, k.scopes, s.account_id, m.id AS member_id, m.role,
       least(s.last_seen_at, CASE WHEN m.id IS NULL THEN NULL ELSE coalesce(m.last_seen_at, '-infinity') END)
         < now() - interval '1 minute' AS is_unseen
     FROM dashboard_sessions s
       LEFT JOIN api_keys k ON k.id = s.key_id AND k.revoked_at IS NULL
       LEFT JOIN members m ON m.account_id = s.account_id AND m.project_id = coalesce($2, s.project_id)
       JOIN projects p ON p.id = coalesce(k.project_id, m.project_id)
     WHERE s.hash = $1 AND s.expires_at > now()`,
    [hash, projectId],
  );
}

export interface AccountSession {
  account_id: string;
  project_id: string | null;
}

/** The session of an account, whichever teams it is in; null for a session of an API key and for one that has ended. */
export function findAccountSession(db: Db, hash: Buffer): Promise<AccountSession | null> {
  return row<AccountSession>(
    db,
    'account_by_dashboard_session',
    `SELECT account_id, project_id FROM dashboard_sessions
     WHERE hash = $1 AND expires_at > now() AND account_id IS NOT NULL`,
    [hash],
  );
}

export function setSessionProject(db: Db, hash: Buffer, projectId: string | null): Promise<number> {
  return change(
    db,
    'set_dashboard_session_project',
    'UPDATE dashboard_sessions SET project_id = $2 WHERE hash = $1',
    [hash, projectId],
  );
}

/** Accurate to a minute: a write per request would cost more than the request. */
export function recordSessionUse(db: Db, hash: Buffer): Promise<number> {
  return change(
    db,
    'record_dashboard_session_use',
    `WITH used AS (
       UPDATE dashboard_sessions SET last_seen_at = now() WHERE hash = $1 RETURNING account_id, project_id)
     UPDATE members m SET last_seen_at = now() FROM used
     WHERE m.account_id = used.account_id AND m.project_id = used.project_id`,
    [hash],
  );
}

export interface DashboardSessionRow {
  id: string;
  hash: Buffer;
  ip: string | null;
  user_agent: string | null;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

interface Owner {
  key_id: string | null;
  account_id: string | null;
}

export function listDashboardSessions(db: Db, { key_id, account_id }: Owner): Promise<DashboardSessionRow[]> {
  return rows<DashboardSessionRow>(
    db,
    'list_dashboard_sessions',
    `SELECT id, hash, ip, user_agent, created_at, last_seen_at, expires_at FROM dashboard_sessions
     WHERE ${OWN} AND expires_at > now() ORDER BY created_at DESC, id DESC`,
    [key_id, account_id],
  );
}

/** Returns false if the owner has no such session. */
export async function removeOwnDashboardSession(
  db: Db,
  { key_id, account_id }: Owner,
  id: string,
): Promise<boolean> {
  const removed = await change(
    db,
    'remove_own_dashboard_session',
    `DELETE FROM dashboard_sessions WHERE ${OWN} AND id = $3 AND expires_at > now()`,
    [key_id, account_id, id],
  );
  return removed > 0;
}

export function removeDashboardSession(db: Db, hash: Buffer): Promise<number> {
  return change(db, 'remove_dashboard_session', 'DELETE FROM dashboard_sessions WHERE hash = $1', [hash]);
}
