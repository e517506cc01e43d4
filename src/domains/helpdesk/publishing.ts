import { afterCommit, type Db } from '../../base/db/pool';
import type { Refusal } from '../events';
import { findSettings } from './queries/settings';

/** A change that another process has made takes effect within a second, as one of a key does. */
const CACHE_MS = 500;
const CACHE_ENTRIES = 10_000;

/** Whether the helpdesk of a project is enabled: each request that publishes asks. */
const known = new Map<string, { isEnabled: Promise<boolean>; until: number }>();

function isEnabled(db: Db, projectId: string): Promise<boolean> {
  const now = performance.now();
  const cached = known.get(projectId);
  if (cached && cached.until > now) return cached.isEnabled;
  const found = findSettings(db, projectId).then(({ enabled }) => enabled);
  if (known.size >= CACHE_ENTRIES) known.clear();
  const entry = { isEnabled: found, until: now + CACHE_MS };
  known.set(projectId, entry);
  // A failed query is not cached.
  found.catch(() => known.get(projectId) === entry && known.delete(projectId));
  return found;
}

/** A change of the settings, which takes effect at once in this process. */
export function forgetHelpdesk(db: Db, projectId: string): void {
  afterCommit(db, () => known.delete(projectId));
}

/** Only one helpdesk tells of a project's tickets: its own, or another one that publishes. */
export async function refuseTicketEvents<N extends string>(
  db: Db,
  projectId: string,
  names: readonly N[],
): Promise<Refusal<N> | null> {
  const refused = names.filter((name) => name.startsWith('ticket.'));
  if (refused.length === 0 || !(await isEnabled(db, projectId))) return null;
  return { names: refused, why: 'cannot be published while the project’s own helpdesk is enabled.' };
}
