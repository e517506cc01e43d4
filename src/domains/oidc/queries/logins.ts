import type { DeclineReason, SessionStatus } from '../../login/contract';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';

interface NewLogin {
  session_id: string;
  project_id: string;
  client_id: string;
  interaction: string | null;
  device_hash: Buffer | null;
  address: string;
}

export function insertLogin(db: Db, login: NewLogin): Promise<number> {
  return change(
    db,
    'insert_oidc_login',
    `INSERT INTO oidc_logins (session_id, project_id, client_id, interaction, device_hash, address)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      login.session_id,
      login.project_id,
      login.client_id,
      login.interaction,
      login.device_hash,
      login.address,
    ],
  );
}

/**
 * Seconds until one more login of the address fits into the hour; 0 if it fits now. The caller holds the project's row
 * lock, so that the limit is exact.
 */
export async function secondsUntilLoginFits(
  db: Db,
  projectId: string,
  address: string,
  perHour: number,
): Promise<number> {
  const found = await row<{ seconds: number }>(
    db,
    'seconds_until_oidc_login_fits',
    `SELECT extract(epoch FROM created_at + interval '1 hour' - clock_timestamp())::float8 AS seconds
     FROM oidc_logins WHERE project_id = $1 AND address = $2 AND created_at > clock_timestamp() - interval '1 hour'
     ORDER BY created_at DESC OFFSET $3 - 1 LIMIT 1`,
    [projectId, address, perHour],
  );
  return Math.max(0, found?.seconds ?? 0);
}

/** Sessions of a client that wait for an answer. */
export async function openLoginsOf(db: Db, clientId: string): Promise<string[]> {
  const found = await rows<{ session_id: string }>(
    db,
    'open_oidc_logins_of_client',
    `SELECT l.session_id FROM oidc_logins l JOIN auth_sessions s ON s.id = l.session_id
     WHERE l.client_id = $1 AND s.status = 'pending'`,
    [clientId],
  );
  return found.map(({ session_id }) => session_id);
}

export interface LoginState {
  session_id: string;
  interaction: string | null;
  status: SessionStatus;
  decline_reason: DeclineReason | null;
  subscriber_id: string | null;
  /** In seconds since 1970. */
  auth_time: number;
}

/** As the status poll shows it: an outcome that was not collected in time has expired. */
const STATE = `l.session_id, l.interaction,
  CASE WHEN s.status = 'confirmed' AND s.code_expires_at <= clock_timestamp() THEN 'expired'
       WHEN s.status = 'pending' AND s.expires_at <= clock_timestamp() - interval '10 minutes' THEN 'expired'
       ELSE s.status END AS status,
  s.decline_reason, s.subscriber_id, floor(extract(epoch FROM coalesce(s.decided_at, s.created_at)))::int AS auth_time`;

export function findLogin(db: Db, sessionId: string): Promise<LoginState | null> {
  return row<LoginState>(
    db,
    'find_oidc_login',
    `SELECT ${STATE} FROM oidc_logins l JOIN auth_sessions s ON s.id = l.session_id WHERE l.session_id = $1`,
    [sessionId],
  );
}

/** The login that decides about a device: the first one that a person answered. */
export function findDecidedDeviceLogin(db: Db, deviceHash: Buffer): Promise<LoginState | null> {
  return row<LoginState>(
    db,
    'find_decided_oidc_device_login',
    `SELECT ${STATE} FROM oidc_logins l JOIN auth_sessions s ON s.id = l.session_id
     WHERE l.device_hash = $1 AND (s.status IN ('declined', 'consumed')
       OR s.status = 'confirmed' AND s.code_expires_at > clock_timestamp())
     ORDER BY s.decided_at, s.id LIMIT 1`,
    [deviceHash],
  );
}

/** The names of the clients that began these sessions, by session. */
export async function clientNamesOf(db: Db, sessionIds: string[]): Promise<Map<string, string>> {
  const found = await rows<{ session_id: string; name: string }>(
    db,
    'oidc_client_names_of_sessions',
    `SELECT l.session_id, c.name FROM oidc_logins l JOIN oidc_clients c ON c.id = l.client_id
     WHERE l.session_id = ANY ($1::uuid[])`,
    [sessionIds],
  );
  return new Map(found.map(({ session_id, name }) => [session_id, name]));
}
