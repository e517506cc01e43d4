import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { withTransaction } from '../db/pool';
import { findSystemProject, insertProject, markSystemProject, updateProject } from '../projects';
import type { Project } from '../projects/contract';

const UNLIMITED = 10_000_000;

/** Another process created the project at the same time. */
class CreatedElsewhere extends Error {}

/**
 * The project of the dashboard's own login, created on first use. Its slug is random, because every slug that a customer
 * could want is theirs; `system_projects` marks it.
 */
export async function findSignInProject(pool: pg.Pool): Promise<Project> {
  const found = (await findSystemProject(pool, 'sign_in')) ?? (await create(pool));
  if (!found) throw new Error('the project of the dashboard’s login was not created');
  return found;
}

async function create(pool: pg.Pool): Promise<Project | null> {
  try {
    await withTransaction(pool, async (db) => {
      const slug = `system-${randomUUID()}`;
      const project = await insertProject(db, { slug, name: 'Herald' });
      if (!project || !(await markSystemProject(db, project.id, 'sign_in'))) throw new CreatedElsewhere();
      // Sign-ins have a limit of their own.
      await updateProject(db, project.id, { sessions_per_hour: UNLIMITED, sessions_per_address: UNLIMITED });
    });
  } catch (error) {
    if (!(error instanceof CreatedElsewhere)) throw error;
  }
  return findSystemProject(pool, 'sign_in');
}
