import type { NewSession } from '../contract';
import { noteChange } from '../../../base/db/changes';
import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import { START_LEASE } from './starts';

export interface NewSessionRow extends NewSession {
  id: string;
  /** The network of a caller without a key; null for a session that a project creates. */
  site: string | null;
  start_hash: Buffer;
  start_sealed: string;
  hosted_hash: Buffer;
  match_code: string;
  traceparent: string | null;
  ttl_seconds: number;
}

/**
 * Inserts a session unless the hourly limit of the project or of the address is reached. Returns the seconds until it allows one
 * more, 0 if the session was inserted. The caller holds the project's row lock and has counted the session, so the limits are
 * exact. Sessions are numbered in their project: with a limit of n, the session n numbers back must be older than an hour, so
 * one row is read instead of n counted. Until the start lease ends, the relay leaves the start to the API.
 */
export async function insertSessionIfItFits(
  db: Db,
  projectId: string,
  session: NewSessionRow & { client_address: string | null },
  { perHour, perAddress }: { perHour: number; perAddress: number },
): Promise<number> {
  const found = await row<{ seconds: number }>(
    db,
    'insert_session_if_it_fits',
    `WITH room AS (
       SELECT greatest(0, extract(epoch FROM greatest(
         (SELECT s.created_at FROM auth_sessions s
          WHERE s.project_id = p.id AND s.number = p.session_counter - $16),
         (SELECT s.created_at FROM auth_sessions s
          WHERE s.project_id = p.id AND s.client_address = $14 AND s.flow = 'session'
            AND s.created_at > clock_timestamp() - interval '1 hour'
          ORDER BY s.created_at DESC OFFSET $17 - 1 LIMIT 1)
         ) + interval '1 hour' - clock_timestamp()))::float8 AS seconds, p.session_counter
       FROM projects p WHERE p.id = $2
     ), inserted AS (
       INSERT INTO auth_sessions (id, project_id, flow, number, state, redirect_uri, client_ip, user_agent,
         code_challenge, start_hash, start_sealed, hosted_hash, match_code, traceparent, created_at, expires_at,
         start_leased_until, client_address, site)
       SELECT $1, $2, 'session', room.session_counter, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, clock_timestamp(),
         clock_timestamp() + make_interval(secs => $13), clock_timestamp() + ${START_LEASE}, $14, $15
       FROM room WHERE room.seconds = 0
     )
     SELECT seconds FROM room`,
    [
      session.id,
      projectId,
      session.state,
      session.redirect_uri ?? null,
      session.client_ip ?? null,
      session.user_agent ?? null,
      session.code_challenge ?? null,
      session.start_hash,
      session.start_sealed,
      session.hosted_hash,
      session.match_code,
      session.traceparent,
      session.ttl_seconds,
      session.client_address,
      session.site,
      perHour,
      perAddress,
    ],
  );
  if (!found) throw new Error('the project no longer exists');
  noteChange(db, 'logins', projectId);
  return found.seconds;
}

/**
 * A session that the OpenID Connect provider starts. It has no number, because it does not count towards the project's
 * sessions an hour, and its page belongs to the browser that made the request from the beginning.
 */
export async function insertProviderSession(
  db: Db,
  projectId: string,
  session: Omit<NewSessionRow, 'state'> & { browser_hash: Buffer; user_code: string | null },
): Promise<number> {
  const inserted = await change(
    db,
    'insert_provider_session',
    `INSERT INTO auth_sessions (id, project_id, flow, client_ip, user_agent, start_hash, start_sealed, hosted_hash,
       hosted_browser_hash, match_code, user_code, traceparent, created_at, expires_at, start_leased_until, site)
     VALUES ($1, $2, 'oidc', $3, $4, $5, $6, $7, $8, $9, $10, $11, clock_timestamp(),
       clock_timestamp() + make_interval(secs => $12), clock_timestamp() + ${START_LEASE}, $13)`,
    [
      session.id,
      projectId,
      session.client_ip ?? null,
      session.user_agent ?? null,
      session.start_hash,
      session.start_sealed,
      session.hosted_hash,
      session.browser_hash,
      session.match_code,
      session.user_code,
      session.traceparent,
      session.ttl_seconds,
      session.site,
    ],
  );
  noteChange(db, 'logins', projectId);
  return inserted;
}

/** For a request that is resumed after a crash. Null if the session was not inserted. */
export function replaceHostedToken(
  db: Db,
  projectId: string,
  id: string,
  hostedHash: Buffer,
): Promise<{ start_sealed: string; match_code: string; expires_in: number } | null> {
  return row(
    db,
    'replace_hosted_token',
    `UPDATE auth_sessions SET hosted_hash = $3 WHERE id = $1 AND project_id = $2
     RETURNING start_sealed, match_code,
       greatest(0, ceil(extract(epoch FROM expires_at - clock_timestamp())))::int AS expires_in`,
    [id, projectId, hostedHash],
  );
}
