import type pg from 'pg';
import { withPipelinedTransaction } from '../../../src/db/pool';
import { createTestDatabase, type TestDatabase } from '../../support/database';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  ({ pool } = database);
  await pool.query('CREATE TABLE notes (text text PRIMARY KEY)');
});
afterAll(() => database.drop());

const note = (db: pg.PoolClient, text: string) => db.query('INSERT INTO notes VALUES ($1)', [text]);
const notes = async () =>
  (await pool.query<{ text: string }>('SELECT text FROM notes ORDER BY text')).rows.map(({ text }) => text);

describe('a transaction in one round trip', () => {
  afterEach(() => pool.query('DELETE FROM notes'));

  test('commits all of its statements, each of which sees the ones before it', async () => {
    const seen = await withPipelinedTransaction(pool, async (db) => {
      const [, , { rows }] = await Promise.all([
        note(db, 'a'),
        note(db, 'b'),
        db.query<{ count: number }>('SELECT count(*) FROM notes'),
      ]);
      return rows[0]?.count;
    });
    expect(seen).toBe(2);
    expect(await notes()).toEqual(['a', 'b']);
  });

  test('commits nothing when one fails, reports the failure, and leaves a working connection', async () => {
    const failing = withPipelinedTransaction(pool, (db) =>
      Promise.all([note(db, 'a'), note(db, 'a'), note(db, 'b')]),
    );
    await expect(failing).rejects.toThrow('duplicate key');
    expect(await notes()).toEqual([]);
    await withPipelinedTransaction(pool, (db) => note(db, 'c'));
    expect(await notes()).toEqual(['c']);
    expect(pool.idleCount).toBe(pool.totalCount);
  });

  test('fails as a whole when the connection is lost, and the pool continues with another', async () => {
    const failing = withPipelinedTransaction(pool, (db) =>
      Promise.all([note(db, 'a'), db.query('SELECT pg_terminate_backend(pg_backend_pid())')]),
    );
    await expect(failing).rejects.toThrow();
    expect(await notes()).toEqual([]);
    expect(pool.idleCount).toBe(pool.totalCount);
  });
});
