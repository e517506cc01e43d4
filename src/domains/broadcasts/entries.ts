import type pg from 'pg';
import { isRenderable, normalContent, type ContentAsGiven } from '../../base/contract/content';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import type { Core } from '../../base/core';
import type { Db } from '../../base/db/pool';
import { createRegistry } from '../../base/lib/registry';
import { storeContent } from '../messages';
import { findProject, lockProject } from '../projects';
import type { Project } from '../projects/contract';
import { resolveTemplate } from '../templates';

/** The project of a new entry as it is now: the authenticated one may come from a half-second-old cache. */
export async function readProject(db: Db, projectId: string): Promise<Project> {
  return orNotFound(await findProject(db, projectId));
}

/** Counts what a domain has of the entries that share the limit. */
export type CountEntries = (db: Db, projectId: string) => Promise<number>;

export const openEntries = createRegistry<CountEntries>('openEntries');

/**
 * Takes the project's lock and refuses an entry above the limit, which open scheduled messages, unended recurring ones
 * and chains share.
 */
export async function requireRoomForEntry(db: Db, projectId: string): Promise<void> {
  const { scheduled_entries } = await lockProject(db, projectId);
  const allowed = scheduled_entries ?? limits.scheduledEntries;
  let total = 0;
  for (const count of openEntries.entries()) total += await count(db, projectId);
  if (total < allowed) return;
  throw new AppError(
    'conflict',
    `A project can have up to ${allowed} open scheduled and recurring messages and chains together.`,
  );
}

export interface ContentCheckDeps {
  pool: pg.Pool;
  config: Pick<Core['config'], 'allowLocalWebhooks'>;
}

/** Media and template as they are now; what is sent is read again at the time. */
export async function checkContentNow(
  { pool, config }: ContentCheckDeps,
  projectId: string,
  content: ContentAsGiven,
): Promise<void> {
  const policy = { allowLocal: config.allowLocalWebhooks };
  await storeContent(pool, projectId, normalContent(content), policy, { path: 'content.' });
}

/** Again under the project's lock, by which a template is changed or deleted. */
export async function checkTemplate(db: Db, projectId: string, given: ContentAsGiven): Promise<void> {
  const content = normalContent(given);
  if (isRenderable(content)) await resolveTemplate(db, projectId, content, 'content.');
}
