import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { packageRoot } from '../lib/package-root';
import { withTransaction } from './pool';

const migrationsDir = path.join(packageRoot, 'src', 'db', 'migrations');

/** An arbitrary constant; the lock serialises migrations of processes that start at the same time. */
const MIGRATION_LOCK = 4_837_201;

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(migrationsDir)).filter((file) => /^\d{4}_.*\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (file) => ({
      version: Number(file.slice(0, 4)),
      name: file.replace(/\.sql$/, ''),
      sql: await readFile(path.join(migrationsDir, file), 'utf8'),
    })),
  );
}

/** Applies missing migrations in order, in one transaction with their records. Released migrations are never edited. */
export async function migrate(pool: pg.Pool): Promise<void> {
  const migrations = await readMigrations();
  await withTransaction(pool, async (db) => {
    await db.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await db.query(
      `CREATE TABLE IF NOT EXISTS migrations (
         version int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const applied = await db.query<{ version: number }>('SELECT version FROM migrations');
    const appliedVersions = new Set(applied.rows.map((record) => record.version));
    for (const migration of migrations) {
      if (appliedVersions.has(migration.version)) continue;
      await db.query(migration.sql);
      await db.query('INSERT INTO migrations (version, name) VALUES ($1, $2)', [
        migration.version,
        migration.name,
      ]);
    }
  });
}

/** Names of migrations that have not been applied. */
export async function pendingMigrations(pool: pg.Pool): Promise<string[]> {
  const migrations = await readMigrations();
  const table = await pool.query<{ exists: boolean }>(
    `SELECT to_regclass('migrations') IS NOT NULL AS exists`,
  );
  if (!table.rows[0]?.exists) return migrations.map((migration) => migration.name);
  const applied = await pool.query<{ version: number }>('SELECT version FROM migrations');
  const appliedVersions = new Set(applied.rows.map((record) => record.version));
  return migrations
    .filter((migration) => !appliedVersions.has(migration.version))
    .map((migration) => migration.name);
}
