import type { Db } from '../db/pool';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import { findProject, lockProject } from '../projects';
import type { Project } from '../projects/contract';
import { countOpenEntries } from './queries/entries';

/** The project of a new entry as it is now: the authenticated one may come from a half-second-old cache. */
export async function readProject(db: Db, projectId: string): Promise<Project> {
  const project = await findProject(db, projectId);
  if (!project) throw new AppError('not_found');
  return project;
}

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
