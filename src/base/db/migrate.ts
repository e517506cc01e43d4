import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { packageRoot } from '../lib/package-root';

const migrationsDir = path.join(packageRoot, 'src', 'base', 'db', 'migrations');

/** An arbitrary constant; the lock serialises migrations of processes that start at the same time. */
const MIGRATION_LOCK = 4_837_201;
const LOCK_POLL_MS = 200;

/**
 * The first line of a migration that runs statement by statement, each committed by itself: `CREATE INDEX CONCURRENTLY`
 * is not allowed in a transaction. Its statements must be safe to repeat (`IF NOT EXISTS`), because a run can end between
 * two of them.
 */
export const STATEMENT_BY_STATEMENT = '-- Statement by statement.';

export interface Migration {
  version: number;
  name: string;
  sql: string;
}

/** The database was made from another schema than that of this build, so no migration leads from it to this one. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

export interface MigrateOptions {
  /** Statements that wait for a table lock hold up every later query of that table, so they wait no longer than this. */
  lockTimeoutMs?: number;
  retryMs?: number;
  /** After this many lock timeouts the start fails: a transaction holds the table for minutes. */
  maxAttempts?: number;
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

/** Applies missing migrations in order, each with its record. Released migrations are never edited. */
export async function migrate(pool: pg.Pool, options: MigrateOptions = {}): Promise<void> {
  await applyMigrations(pool, await readMigrations(), options);
}

export async function applyMigrations(
  pool: pg.Pool,
  migrations: Migration[],
  { lockTimeoutMs = 2_000, retryMs = 1_000, maxAttempts = 60 }: MigrateOptions = {},
): Promise<void> {
  const client = await pool.connect();
  try {
    await takeMigrationLock(client);
    await client.query(
      `CREATE TABLE IF NOT EXISTS migrations (
         version int PRIMARY KEY, name text NOT NULL, hash text NOT NULL,
         applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const appliedVersions = await checkApplied(client, migrations);
    for (const migration of migrations) {
      if (appliedVersions.has(migration.version)) continue;
      for (const step of stepsOf(client, migration, lockTimeoutMs)) {
        await retryWhileLocked(step, { retryMs, maxAttempts });
      }
    }
  } finally {
    // Closed, not returned to the pool: it holds the lock and its own settings.
    client.release(true);
  }
}

/**
 * The versions that are applied. Until the first release the baseline is edited in place, so a migration that was applied in
 * another form stops the start here, before a query fails on a missing column. Later versions than this build knows are
 * left alone: another process is newer.
 */
async function checkApplied(client: pg.PoolClient, migrations: Migration[]): Promise<Set<number>> {
  // Earlier builds recorded no hash: reading the row as JSON does not need the column.
  const { rows } = await client.query<{ version: number; hash: string | null }>(
    `SELECT version, to_jsonb(migrations) ->> 'hash' AS hash FROM migrations`,
  );
  const hashes = new Map(migrations.map((migration) => [migration.version, hashOf(migration)]));
  const changed = rows.find(({ version, hash }) => hashes.has(version) && hashes.get(version) !== hash);
  if (changed) throw new SchemaMismatch(`migration ${changed.version} was applied in another form`);
  return new Set(rows.map(({ version }) => version));
}

/** Comments and white space may change. */
function hashOf({ sql }: Migration): string {
  const meaning = sql.replace(/--.*$/gm, '').replace(/\s+/g, ' ').trim();
  return createHash('sha256').update(meaning).digest('hex');
}

/** Polls: a session that waits in `pg_advisory_lock` has a snapshot, which a concurrent index build would wait for. */
async function takeMigrationLock(client: pg.PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock($1) AS taken', [
      MIGRATION_LOCK,
    ]);
    if (rows[0]?.taken) return;
    await sleep(LOCK_POLL_MS);
  }
}

type Step = () => Promise<void>;

/** What is retried as a whole: a migration in its transaction, or each of its statements. */
function stepsOf(client: pg.PoolClient, migration: Migration, lockTimeoutMs: number): Step[] {
  if (!migration.sql.startsWith(STATEMENT_BY_STATEMENT)) {
    return [() => inTransaction(client, lockTimeoutMs, [migration.sql], migration)];
  }
  return [
    ...statementsOf(migration.sql).map((statement) => () => {
      if (!isConcurrent(statement)) return inTransaction(client, lockTimeoutMs, [statement]);
      return runConcurrently(client, statement);
    }),
    () => inTransaction(client, lockTimeoutMs, [], migration),
  ];
}

async function inTransaction(
  client: pg.PoolClient,
  lockTimeoutMs: number,
  statements: string[],
  migration?: Migration,
): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    for (const statement of statements) await client.query(statement);
    if (migration) {
      await client.query('INSERT INTO migrations (version, name, hash) VALUES ($1, $2, $3)', [
        migration.version,
        migration.name,
        hashOf(migration),
      ]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/**
 * Without a lock timeout: such a statement has to wait for every older transaction, and blocks no reads and writes
 * meanwhile. A build that was interrupted leaves an invalid index, which is dropped first.
 */
async function runConcurrently(client: pg.PoolClient, statement: string): Promise<void> {
  const name = /\bINDEX CONCURRENTLY IF NOT EXISTS (\w+)/.exec(statement)?.[1];
  if (name !== undefined) {
    const invalid = await client.query(
      'SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
      [name],
    );
    if (invalid.rowCount) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
  }
  await client.query(statement);
}

const isConcurrent = (statement: string) => /\bINDEX CONCURRENTLY\b/.test(statement);

/** Statements end with a semicolon at the end of a line; such a migration defines no functions. */
export function statementsOf(sql: string): string[] {
  return sql
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
}

/** lock_not_available and deadlock_detected: another session held the table. */
const LOCKED = new Set(['55P03', '40P01']);

async function retryWhileLocked(
  step: Step,
  { retryMs, maxAttempts }: { retryMs: number; maxAttempts: number },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step();
    } catch (error) {
      if (attempt >= maxAttempts || !LOCKED.has((error as { code?: string }).code ?? '')) throw error;
      await sleep(retryMs);
    }
  }
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
