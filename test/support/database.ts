import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createPool } from '../../src/base/db/pool';

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  drop(): Promise<void>;
}

/** Created and migrated once for the whole run. */
export const templateDatabase = 'herald_template';

/** A database of its own for a test file, cloned from the migrated template in a few milliseconds. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = process.env['HERALD_TEST_DATABASE_URL'];
  if (!adminUrl) throw new Error('HERALD_TEST_DATABASE_URL is missing: run the tests through jest');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const url = await cloneTemplate(adminUrl, name);
  const pool = patient(createPool({ url, max: 20 }));
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      await asAdmin(adminUrl, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

/**
 * The limit of three seconds counts the wait for a free connection as well, which a busy machine may exceed. A database that
 * is unavailable refuses connections at once.
 */
export function patient(pool: pg.Pool): pg.Pool {
  pool.options.connectionTimeoutMillis = 30_000;
  return pool;
}

/** Creates the database and returns its URL. */
export async function cloneTemplate(adminUrl: string, name: string): Promise<string> {
  await asAdmin(adminUrl, (admin) => createClone(admin, name));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Two clones at once make one of them find the template in use: it tries again. */
async function createClone(admin: pg.Client, name: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${templateDatabase}`);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '55006' || attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function asAdmin(url: string, work: (admin: pg.Client) => Promise<unknown>): Promise<void> {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  try {
    await work(admin);
  } finally {
    await admin.end();
  }
}
