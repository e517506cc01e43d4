import type { DeclineReason, RequestPurpose, SessionFlow, SessionStatus } from '../contract';
import type { Channel, Language } from '../../../base/contract/common';
import { noteChange } from '../../../base/db/changes';
import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import { WAS_CONFIRMED } from './requests';
import { START_LEASE } from './starts';

export interface AuthSession {
  id: string;
  project_id: string;
  flow: SessionFlow;
  /** Of an approval. */
  purpose: RequestPurpose | null;
  message: string | null;
  /** Null until the session is answered. */
  subscriber_id: string | null;
  status: SessionStatus;
  decline_reason: DeclineReason | null;
  state: string | null;
  redirect_uri: string | null;
  client_ip: string | null;
  user_agent: string | null;
  match_code: string | null;
  start_sealed: string | null;
  channel: Channel | null;
  platform_user_id: string | null;
  /** The bot in which the link was opened; null for the shared one. */
  bot: string | null;
  lang: Language | null;
  code_sealed: string | null;
  /** Stays true after the code has expired. */
  was_confirmed: boolean;
  created_at: Date;
  expires_at: Date;
  /** By the database's clock at the time of the query. */
  wait_ms: number;
  code_life_ms: number;
}

const COLUMNS = `s.id, s.project_id, s.flow, s.purpose, s.message, s.subscriber_id, s.status, s.decline_reason, s.state, s.redirect_uri, s.client_ip,
  s.user_agent, s.match_code, s.start_sealed, s.channel, s.platform_user_id, s.bot, s.lang, s.code_sealed,
  ${WAS_CONFIRMED} AS was_confirmed, s.created_at, s.expires_at,
  ceil(extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::float8 AS wait_ms,
  coalesce(ceil(extract(epoch FROM s.code_expires_at - clock_timestamp()) * 1000), 0)::float8 AS code_life_ms`;

/** The user who opened a link, and where. */
export interface SessionOwner {
  channel: Channel;
  platform_user_id: string;
  bot: string | null;
  lang: Language;
}

/**
 * The user's pending session of a static link, or a new one. A user has at most one per project. One with an answer that was
 * stored in time is decided by its workflow, however late.
 */
export async function openStaticSession(
  db: Db,
  projectId: string,
  user: SessionOwner,
  ttlSeconds: number,
): Promise<AuthSession> {
  const owner = [projectId, user.channel, user.platform_user_id];
  await change(
    db,
    'end_old_static_session',
    `UPDATE auth_sessions SET status = 'expired', decided_at = clock_timestamp()
     WHERE project_id = $1 AND channel = $2 AND platform_user_id = $3 AND flow = 'static' AND status = 'pending'
       AND expires_at <= clock_timestamp()
       AND NOT EXISTS (SELECT 1 FROM auth_answers a WHERE a.session_id = auth_sessions.id AND a.received_at <= auth_sessions.expires_at)`,
    owner,
  );
  await change(
    db,
    'insert_static_session',
    // The user may have opened the link in another bot of the project before: the newest question counts.
    `INSERT INTO auth_sessions
       (project_id, flow, channel, platform_user_id, lang, expires_at, start_leased_until, bot)
     VALUES ($1, 'static', $2, $3, $4, clock_timestamp() + make_interval(secs => $5),
       clock_timestamp() + ${START_LEASE}, $6)
     ON CONFLICT (project_id, channel, platform_user_id) WHERE flow = 'static' AND status = 'pending'
     DO UPDATE SET bot = excluded.bot, lang = excluded.lang`,
    [...owner, user.lang, ttlSeconds, user.bot],
  );
  const session = await row<AuthSession>(
    db,
    'live_static_session',
    `SELECT ${COLUMNS} FROM auth_sessions s
     WHERE project_id = $1 AND channel = $2 AND platform_user_id = $3 AND flow = 'static' AND status = 'pending' FOR UPDATE`,
    owner,
  );
  if (!session) throw new Error('the static session was not inserted');
  noteChange(db, 'logins', projectId);
  return session;
}

export function lockSession(db: Db, sessionId: string): Promise<AuthSession | null> {
  return row<AuthSession>(
    db,
    'lock_session',
    `SELECT ${COLUMNS} FROM auth_sessions s WHERE id = $1 FOR UPDATE`,
    [sessionId],
  );
}

export function lockSessionByStart(db: Db, startHash: Buffer): Promise<AuthSession | null> {
  return row<AuthSession>(
    db,
    'lock_session_by_start',
    `SELECT ${COLUMNS} FROM auth_sessions s WHERE start_hash = $1 FOR UPDATE`,
    [startHash],
  );
}

export function findSession(db: Db, sessionId: string): Promise<AuthSession | null> {
  return row<AuthSession>(db, 'find_session', `SELECT ${COLUMNS} FROM auth_sessions s WHERE id = $1`, [
    sessionId,
  ]);
}

export function findProjectSession(
  db: Db,
  projectId: string,
  sessionId: string,
): Promise<AuthSession | null> {
  return row<AuthSession>(
    db,
    'find_project_session',
    `SELECT ${COLUMNS} FROM auth_sessions s WHERE id = $1 AND project_id = $2`,
    [sessionId, projectId],
  );
}

/** Binds a session to the user who opened its link; only that user may answer. */
export async function claimSession(
  db: Db,
  { id, project_id }: Pick<AuthSession, 'id' | 'project_id'>,
  user: SessionOwner,
): Promise<void> {
  await change(
    db,
    'claim_session',
    `UPDATE auth_sessions SET channel = $2, platform_user_id = $3, lang = $4, bot = $5 WHERE id = $1`,
    [id, user.channel, user.platform_user_id, user.lang, user.bot],
  );
  noteChange(db, 'logins', project_id);
}

/**
 * Records the opening of a static link, once for each update: one that is handled again while the platform is unavailable does
 * not count again. Returns false if the user has opened too many within a minute.
 */
export async function recordOpening(
  db: Db,
  channel: Channel,
  { platformUserId, updateId }: { platformUserId: string; updateId: number },
  perMinute: number,
): Promise<boolean> {
  await change(
    db,
    'drop_old_openings',
    `DELETE FROM auth_openings WHERE channel = $1 AND platform_user_id = $2 AND opened_at <= now() - interval '1 minute'`,
    [channel, platformUserId],
  );
  const counted = await change(
    db,
    'insert_opening',
    `INSERT INTO auth_openings (channel, platform_user_id, update_id)
     SELECT $1, $2, $4 WHERE (SELECT count(*) FROM auth_openings WHERE channel = $1 AND platform_user_id = $2) < $3
     ON CONFLICT (update_id) DO NOTHING`,
    [channel, platformUserId, perMinute, updateId],
  );
  if (counted > 0) return true;
  const known = await row(db, 'find_opening', 'SELECT 1 FROM auth_openings WHERE update_id = $1', [updateId]);
  return known !== null;
}

/** Read only while tracing is on. */
export async function findSessionTraceparent(db: Db, sessionId: string): Promise<string | null> {
  const found = await row<{ traceparent: string | null }>(
    db,
    'find_session_traceparent',
    'SELECT traceparent FROM auth_sessions WHERE id = $1',
    [sessionId],
  );
  return found?.traceparent ?? null;
}
