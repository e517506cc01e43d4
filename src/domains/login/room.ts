import { limits } from '../../base/contract/limits';
import type { Db } from '../../base/db/pool';
import { expireSessions } from './queries/decisions';
import { findFullBounds, lockOldestUnopenedSession } from './queries/room';

/** Seconds after which another session may be allowed. */
export const NO_ROOM_RETRY_SECONDS = 60;

/**
 * Bounds the open sessions that are begun without a key, because each has a workflow. A network has a share of the project's
 * bound. With the project's bound reached, the oldest unopened session expires, so that sessions without an answer cannot keep
 * others from logging in. Returns the bound that refuses the session, else null. The caller holds the project's row lock, so that
 * the bounds are exact.
 */
export async function makeRoom(db: Db, projectId: string, site: string): Promise<'site' | 'project' | null> {
  const full = await findFullBounds(db, projectId, site, {
    ofSite: limits.keylessOpenSessionsPerSite,
    ofProject: limits.keylessOpenSessions,
  });
  if (full.site) return 'site';
  if (!full.project) return null;
  const unopened = await lockOldestUnopenedSession(db, projectId);
  if (unopened === null) return 'project';
  await expireSessions(db, [unopened]);
  return null;
}
