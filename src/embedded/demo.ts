import { readFile, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { newApiKey, sha256 } from '../lib/tokens';
import { findProjectByKey, insertApiKey } from '../projects/queries/keys';
import { withTransaction } from '../db/pool';
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
/** Trying it out must never meet a 429 or a 402. */
const GENEROUS = 100_000;

/**
 * The demo project of development. Keys are stored as hashes, so the key itself is kept in the data directory and
 * made anew where it was lost.
 */
export async function seedDemoProject(pool: pg.Pool, keyFile: string, publicUrl: string): Promise<Demo> {
  const known = await readFile(keyFile, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  return withTransaction(pool, async (db) => {
    const project =
      (await findProjectBySlug(db, SLUG)) ??
      (await insertProject(db, { slug: SLUG, name: 'Demo project', plan: 'basic' }));
    if (!project) throw new Error('the demo project could not be created');
    await updateProject(db, project.id, {
      // The port can change between two starts.
      callback_url: `${publicUrl}/demo/callback`,
      requests_per_minute: GENEROUS,
      sessions_per_hour: GENEROUS,
      sessions_per_address: GENEROUS,
    });
    await addPurchasedCredits(db, project.id, Math.max(0, GENEROUS - project.purchased_credits));
    if (known && (await findProjectByKey(db, sha256(known)))) return { slug: SLUG, api_key: known };
    const { key, hash, hint } = newApiKey();
    await insertApiKey(db, { project_id: project.id, hash, hint, name: 'demo' });
    await writeFile(keyFile, `${key}\n`, { mode: 0o600 });
    return { slug: SLUG, api_key: key };
  });
}
