import { readFileSync } from 'node:fs';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { applyMigrations, migrate, readMigrations } from '../../../src/db/migrate';
import { createPool } from '../../../src/db/pool';

/** Every statement that a process of 0.1.0 sends, recorded once from its own tests. */
const former = JSON.parse(readFileSync(path.join(__dirname, 'statements-0.1.0.json'), 'utf8')) as Record<
  string,
  string
>;
const LAST_OF_FORMER = 13;

/** A prepared statement whose result has another shape than before: fails once on each connection. */
const CHANGED_RESULT = '0A000';
/** Failures that say nothing about the schema: the statements are run with null for every parameter. */
const isAboutValues = (code: string) => code.startsWith('22') || code.startsWith('23');

describe('a process of 0.1.0 during the upgrade', () => {
  const admin = new pg.Client({ connectionString: process.env['HERALD_TEST_DATABASE_URL'] ?? '' });
  const name = `test_${randomBytes(8).toString('hex')}`;
  let pool: pg.Pool;
  let connection: pg.PoolClient;
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(process.env['HERALD_TEST_DATABASE_URL'] ?? '');
    url.pathname = `/${name}`;
    pool = createPool({ url: url.href, max: 4 });
    const migrations = await readMigrations();
    await applyMigrations(
      pool,
      migrations.filter(({ version }) => version <= LAST_OF_FORMER),
    );
    connection = await pool.connect();
  });
  afterAll(async () => {
    connection.release();
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });

  async function prepareAll(client: pg.PoolClient): Promise<void> {
    for (const [statement, text] of Object.entries(former)) {
      await client.query(`PREPARE "${statement}" AS ${text}`);
    }
  }

  /** Runs every prepared statement and returns the failures that are about the schema. */
  async function runAll(
    client: pg.PoolClient,
  ): Promise<{ statement: string; code: string; message: string }[]> {
    const { rows } = await client.query<{ name: string; parameters: number }>(
      'SELECT name, cardinality(parameter_types) AS parameters FROM pg_prepared_statements WHERE from_sql',
    );
    const failures = [];
    for (const { name: statement, parameters } of rows) {
      const values = Array.from({ length: parameters }, () => 'NULL').join(', ');
      await client.query('BEGIN');
      try {
        await client.query(`EXECUTE "${statement}"${parameters > 0 ? `(${values})` : ''}`);
      } catch (error) {
        const { code = '', message } = error as { code?: string; message: string };
        if (!isAboutValues(code)) failures.push({ statement, code, message });
      }
      await client.query('ROLLBACK');
    }
    return failures;
  }

  it('has statements that run on its own schema', async () => {
    expect(Object.keys(former).length).toBeGreaterThan(120);
    await prepareAll(connection);
    expect(await runAll(connection)).toEqual([]);
  });

  it('goes on with them, except once for a result that has changed its shape', async () => {
    await migrate(pool);
    const failures = await runAll(connection);
    expect(failures.filter(({ code }) => code !== CHANGED_RESULT)).toEqual([]);
    for (const { statement } of failures) expect(former[statement]).toMatch(/\*/);
  });

  it('can prepare and run them anew on a new connection', async () => {
    const fresh = await pool.connect();
    try {
      await prepareAll(fresh);
      expect(await runAll(fresh)).toEqual([]);
    } finally {
      fresh.release(true);
    }
  });
});
