import { randomBytes } from 'node:crypto';
import pg from 'pg';
import {
  applyMigrations,
  migrate,
  SchemaMismatch,
  STATEMENT_BY_STATEMENT,
} from '../../../src/base/db/migrate';
import { createPool } from '../../../src/base/db/pool';
import { eventually } from '../../support/eventually';

const lines = (...statements: string[]) => `${statements.join(';\n')};\n`;

describe('migrations', () => {
  const admin = new pg.Client({ connectionString: process.env['HERALD_TEST_DATABASE_URL'] ?? '' });
  const name = `test_${randomBytes(8).toString('hex')}`;
  let pool: pg.Pool;
  beforeAll(async () => {
    await admin.connect();
    await admin.query(`CREATE DATABASE ${name}`);
    const url = new URL(process.env['HERALD_TEST_DATABASE_URL'] ?? '');
    url.pathname = `/${name}`;
    pool = createPool({ url: url.href, max: 10 });
  });
  afterAll(async () => {
    await pool.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });

  const versions = async () => {
    const { rows } = await pool.query<{ version: number }>('SELECT version FROM migrations ORDER BY 1');
    return rows.map(({ version }) => version);
  };

  it('run once, also when several processes start at the same time', async () => {
    await Promise.all([migrate(pool), migrate(pool), migrate(pool)]);
    const applied = await versions();
    expect(new Set(applied).size).toBe(applied.length);
    await migrate(pool);
    expect(await versions()).toEqual(applied);
    const { rows } = await pool.query('SELECT 1 FROM pg_index WHERE NOT indisvalid');
    expect(rows).toEqual([]);
  });

  it('refuse a database in which one of them was applied in another form, and allow comments to change', async () => {
    const first = { version: 9000, name: 'first', sql: 'CREATE TABLE first (id int);' };
    await applyMigrations(pool, [first]);
    await applyMigrations(pool, [{ ...first, sql: '-- Why.\nCREATE TABLE first\n  (id int);\n' }]);
    const edited = { ...first, sql: 'CREATE TABLE first (id bigint);' };
    await expect(applyMigrations(pool, [edited])).rejects.toThrow(SchemaMismatch);
  });

  it('refuse a database of a build that recorded no hashes', async () => {
    const old = `test_${randomBytes(8).toString('hex')}`;
    await admin.query(`CREATE DATABASE ${old}`);
    const url = new URL(process.env['HERALD_TEST_DATABASE_URL'] ?? '');
    url.pathname = `/${old}`;
    const oldPool = createPool({ url: url.href, max: 1 });
    await oldPool.query('CREATE TABLE migrations (version int PRIMARY KEY, name text NOT NULL)');
    await oldPool.query(`INSERT INTO migrations VALUES (1, '0001_foundation')`);
    await expect(migrate(oldPool)).rejects.toThrow(SchemaMismatch);
    await oldPool.end();
    await admin.query(`DROP DATABASE ${old} WITH (FORCE)`);
  });

  it('give way to the queries of a busy table, and try again', async () => {
    await pool.query('CREATE TABLE busy (id int)');
    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT 1 FROM busy');
    let isDone = false;
    const migrated = applyMigrations(
      pool,
      [
        {
          version: 9001,
          name: 'busy',
          sql: 'ALTER TABLE busy ADD COLUMN name text; ALTER TABLE busy ADD COLUMN tag text;',
        },
      ],
      { lockTimeoutMs: 50, retryMs: 10, maxAttempts: 10_000 },
    ).then(() => (isDone = true));
    // Between two tries the table is free, so every later query goes on, and nothing of the migration stays behind.
    for (let i = 0; i < 20; i += 1) await pool.query('SELECT id FROM busy');
    expect(isDone).toBe(false);
    await reader.query('COMMIT');
    reader.release();
    await migrated;
    await pool.query('SELECT name, tag FROM busy');
    expect(await versions()).toContain(9001);
  });

  it('stop after many lock timeouts', async () => {
    const reader = await pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT 1 FROM busy');
    const sql = 'ALTER TABLE busy ADD COLUMN late text;';
    await expect(
      applyMigrations(pool, [{ version: 9002, name: 'late', sql }], {
        lockTimeoutMs: 10,
        retryMs: 1,
        maxAttempts: 3,
      }),
    ).rejects.toMatchObject({ code: '55P03' });
    await reader.query('COMMIT');
    reader.release();
    expect(await versions()).not.toContain(9002);
  });

  it('build indexes while the table is written to, and again after an interrupted build', async () => {
    const writer = await pool.connect();
    await writer.query('BEGIN');
    await writer.query('INSERT INTO busy (id) VALUES (1)');
    const sql = `${STATEMENT_BY_STATEMENT}\n${lines(
      'CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS busy_id ON busy (id)',
      'ALTER TABLE busy ADD COLUMN IF NOT EXISTS extra text',
    )}`;
    const migrated = applyMigrations(pool, [{ version: 9003, name: 'index', sql }], {
      lockTimeoutMs: 50,
      retryMs: 10,
      maxAttempts: 10_000,
    });
    await eventually(async () => {
      const { rowCount } = await pool.query(`SELECT 1 FROM pg_stat_progress_create_index`);
      return rowCount;
    });
    await pool.query('INSERT INTO busy (id) VALUES (2)');
    await writer.query('COMMIT');
    writer.release();
    await migrated;
    await pool.query('DROP INDEX busy_id');

    // Two equal rows make the build fail and leave an invalid index.
    await pool.query('INSERT INTO busy (id) VALUES (2)');
    const again = { version: 9004, name: 'again', sql };
    await expect(applyMigrations(pool, [again])).rejects.toMatchObject({ code: '23505' });
    const validity = async () =>
      (await pool.query(`SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'busy_id'::regclass`))
        .rows;
    expect(await validity()).toEqual([{ valid: false }]);
    await pool.query('DELETE FROM busy WHERE ctid = (SELECT max(ctid) FROM busy)');
    await applyMigrations(pool, [again]);
    expect(await validity()).toEqual([{ valid: true }]);
    expect(await versions()).toEqual(expect.arrayContaining([9003, 9004]));
  });
});
