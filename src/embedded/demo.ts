import { readFile, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { withTransaction } from '../db/pool';
import { newApiKey, sha256 } from '../lib/tokens';
import { findProjectByKey, insertApiKey } from '../projects/queries/keys';
import {
  addPurchasedCredits,
  findProjectBySlug,
  insertProject,
  updateProject,
} from '../projects/queries/projects';

export interface Demo {
  slug: string;
  api_key: string;
}

const SLUG = 'demo';
/** High limits, so that the demo never gets a 429 or a 402. */
const DEMO_LIMIT = 100_000;

/**
 * Creates the development demo project. The database stores only hashes of keys, so the key itself is kept in the data
 * directory and replaced if it is lost.
 */
export async function seedDemoProject(pool: pg.Pool, keyFile: string, publicUrl: string): Promise<Demo> {
  const storedKey = await readFile(keyFile, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  return withTransaction(pool, async (db) => {
    const project =
      (await findProjectBySlug(db, SLUG)) ??
      (await insertProject(db, { slug: SLUG, name: 'Demo project', plan: 'basic' }));
    if (!project) throw new Error('the demo project could not be created');
    await updateProject(db, project.id, {
      // The port can differ between starts.
      callback_url: `${publicUrl}/demo/callback`,
      requests_per_minute: DEMO_LIMIT,
      sessions_per_hour: DEMO_LIMIT,
      sessions_per_address: DEMO_LIMIT,
    });
    await addPurchasedCredits(db, project.id, Math.max(0, DEMO_LIMIT - project.purchased_credits));
    if (storedKey && (await findProjectByKey(db, sha256(storedKey)))) {
      return { slug: SLUG, api_key: storedKey };
    }
    const { key, hash, hint } = newApiKey();
    await insertApiKey(db, { project_id: project.id, hash, hint, name: 'demo' });
    await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
    return { slug: SLUG, api_key: key };
  });
}
