import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { findSystemProject, insertSystemProject } from '../../projects';
import type { Project } from '../../projects/contract';

const PURPOSE = 'sign_in';
/** Sign-ins have a limit of their own. */
const UNLIMITED = 10_000_000;

/**
 * The project of the dashboard's own login, created on first use. Its slug is random, because every slug that a customer
 * could want is theirs; `system_purpose` marks it.
 */
export async function findSignInProject(pool: pg.Pool): Promise<Project> {
  const found = (await findSystemProject(pool, PURPOSE)) ?? (await create(pool));
  if (!found) throw new Error('the project of the dashboard’s login was not created');
  return found;
}

async function create(pool: pg.Pool): Promise<Project | null> {
  const slug = `system-${randomUUID()}`;
  // Of two processes that create it at once, one finds the other's.
  await insertSystemProject(pool, { slug, name: 'Herald', purpose: PURPOSE, unlimited: UNLIMITED });
  return findSystemProject(pool, PURPOSE);
}
