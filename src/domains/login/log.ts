import type { Db } from '../../base/db/pool';
import { createSlot } from '../../base/lib/registry';
import { listSessions, type NamedSessionRow, type SessionFilter } from './queries/log';

/** The names of the OpenID Connect clients that began sessions, by session. `oidc` registers this. */
type ClientNames = (db: Db, sessionIds: string[]) => Promise<Map<string, string>>;
export const clientNames = createSlot<ClientNames>('clientNames');

export interface LoggedSession extends NamedSessionRow {
  client_name: string | null;
}

/** Returns one row more than the limit if there is another page. */
export async function listLoggedSessions(
  db: Db,
  projectId: string,
  filter: SessionFilter,
): Promise<(LoggedSession & { cursor_at: string })[]> {
  const found = await listSessions(db, projectId, filter);
  const ids = found.filter(({ flow }) => flow === 'oidc').map(({ id }) => id);
  const names = ids.length === 0 ? new Map<string, string>() : await clientNames.get()(db, ids);
  return found.map((session) => ({ ...session, client_name: names.get(session.id) ?? null }));
}
