import type { Db } from '../db/pool';
import { findSettings } from './queries/settings';

/** Only one helpdesk tells of a project's tickets: its own, or another one that publishes. */
export async function refuseTicketEvents(
  db: Db,
  projectId: string,
  names: readonly string[],
): Promise<string | null> {
  const name = names.find((each) => each.startsWith('ticket.'));
  if (name === undefined || !(await findSettings(db, projectId)).enabled) return null;
  return `${name} cannot be published while the project’s own helpdesk is enabled.`;
}
