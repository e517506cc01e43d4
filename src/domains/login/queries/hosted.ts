import type { SessionFlow } from '../contract';
import type { AuthSession } from './sessions';
import { noteChange } from '../../../base/db/changes';
import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';

/** A session as its hosted page shows it. The page has a token of its own, independent of id and start token. */
export interface HostedSession {
  id: string;
  project_id: string;
  project_name: string;
  logo_id: string | null;
  brand_color: string | null;
  privacy_url: string | null;
  start_sealed: string;
  match_code: string;
  flow: SessionFlow;
  /** What the device shows that waits for this login. */
  user_code: string | null;
  status: AuthSession['status'];
  browser_hash: Buffer | null;
  /** By the database's clock at the time of the query; negative once the session has expired. */
  wait_ms: number;
}

export function findHostedSession(db: Db, hostedHash: Buffer): Promise<HostedSession | null> {
  return row<HostedSession>(
    db,
    'hosted_session',
    `SELECT s.id, s.project_id, p.name AS project_name, b.logo_id, b.color AS brand_color, b.privacy_url,
       s.start_sealed, s.match_code, s.flow, s.user_code, s.status, s.hosted_browser_hash AS browser_hash,
       ceil(extract(epoch FROM s.expires_at - clock_timestamp()) * 1000)::float8 AS wait_ms
     FROM auth_sessions s JOIN projects p ON p.id = s.project_id
       LEFT JOIN project_brands b ON b.project_id = p.id
     WHERE s.hosted_hash = $1 AND p.active`,
    [hostedHash],
  );
}

/** Binds the page to the browser that opens it first. Returns whether it was this one. */
export async function bindBrowser(db: Db, sessionId: string, browserHash: Buffer): Promise<boolean> {
  const bound = await change(
    db,
    'bind_browser',
    'UPDATE auth_sessions SET hosted_browser_hash = $2 WHERE id = $1 AND hosted_browser_hash IS NULL',
    [sessionId, browserHash],
  );
  return bound > 0;
}

/** The browser that a session is bound to; null if the project has no such session, or it is bound to none. */
export async function findBoundBrowser(db: Db, projectId: string, sessionId: string): Promise<Buffer | null> {
  const found = await row<{ hash: Buffer | null }>(
    db,
    'bound_browser',
    'SELECT hosted_browser_hash AS hash FROM auth_sessions WHERE id = $1 AND project_id = $2',
    [sessionId, projectId],
  );
  return found?.hash ?? null;
}

/** Collects the outcome of a confirmed session. Returns false if another request did, or if it came too late. */
export async function consumeProviderSession(db: Db, sessionId: string): Promise<boolean> {
  const consumed = await row<{ project_id: string }>(
    db,
    'consume_provider_session',
    `UPDATE auth_sessions SET status = 'consumed', consumed_at = clock_timestamp()
     WHERE id = $1 AND flow = 'oidc' AND status = 'confirmed' AND code_expires_at > clock_timestamp()
     RETURNING project_id`,
    [sessionId],
  );
  if (consumed) noteChange(db, 'logins', consumed.project_id);
  return consumed !== null;
}
