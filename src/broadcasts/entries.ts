import type { Db } from '../db/pool';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import { lockProject } from '../projects';
import { countOpenEntries } from './queries/entries';

/**
 * Takes the project's lock and refuses an entry above the limit, which open scheduled messages, unended recurring ones
 * and chains share.
 */
export async function requireRoomForEntry(db: Db, projectId: string): Promise<void> {
  await lockProject(db, projectId);
  const { open, allowed } = await countOpenEntries(db, projectId, limits.scheduledEntries);
  if (open < allowed) return;
  throw new AppError(
    'conflict',
    `A project can have up to ${allowed} open scheduled and recurring messages and chains together.`,
  );
}
