import type pg from 'pg';
import { withCancellation } from '../../../src/base/db/cancellable';
import { createPool, withPipelinedTransaction, withTransaction } from '../../../src/base/db/pool';
import { row, rows } from '../../../src/base/db/query';
import { isUnavailable } from '../../../src/base/lib/unavailable';
import { eventually } from '../../support/eventually';
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

describe('transactions that lock the same rows in opposite order', () => {
  const lock = (db: pg.PoolClient, text: string) =>
    db.query('SELECT 1 FROM notes WHERE text = $1 FOR UPDATE', [text]);
  beforeAll(() =>
    pool.query(`INSERT INTO notes VALUES ('a'), ('b');
      CREATE FUNCTION lock_both(first text, second text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
        PERFORM 1 FROM notes WHERE text = first FOR UPDATE;
        PERFORM pg_sleep(0.1);
        PERFORM 1 FROM notes WHERE text = second FOR UPDATE;
        RETURN 1;
      END $$`),
  );

  /** Each waits until both have their first lock, the first time: then one of them must lose. */
  function opposites() {
    let arrived = 0;
    let release = () => {};
    const both = new Promise<void>((resolve) => (release = resolve));
    return (first: string, second: string) => {
      let runs = 0;
      return async (db: pg.PoolClient) => {
        runs += 1;
        await lock(db, first);
        if (runs === 1) {
          arrived += 1;
          if (arrived === 2) release();
          await both;
        }
        await lock(db, second);
        return runs;
      };
    };
  }

  test('both commit: the one that PostgreSQL rolls back runs again', async () => {
    const opposite = opposites();
    const runs = await Promise.all([
      withTransaction(pool, opposite('a', 'b')),
      withTransaction(pool, opposite('b', 'a')),
    ]);
    expect(runs.sort()).toEqual([1, 2]);
  });

  test('both commit, in one round trip', async () => {
    const lockBoth = (first: string, second: string) =>
      withPipelinedTransaction(pool, (db) =>
        row(db, 'lock_both', 'SELECT lock_both($1, $2)', [first, second]),
      );
    await expect(Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')])).resolves.toEqual([
      { lock_both: 1 },
      { lock_both: 1 },
    ]);
  });

  test('statements outside a transaction run again, too', async () => {
    const lockBoth = (first: string, second: string) =>
      row(pool, 'lock_both', 'SELECT lock_both($1, $2)', [first, second]);
    await expect(Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')])).resolves.toEqual([
      { lock_both: 1 },
      { lock_both: 1 },
    ]);
  });

  test('what keeps losing is thrown in the end, and counts as unavailable, not as a fault', async () => {
    let runs = 0;
    const losing = withTransaction(pool, async (db) => {
      runs += 1;
      await db.query(`DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$`);
    });
    const error: unknown = await losing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '40P01' });
    expect(isUnavailable(error)).toBe(true);
    expect(runs).toBeGreaterThan(1);
    expect(runs).toBeLessThan(20);
  });
});

test('a reader that goes away ends its statement on the server', async () => {
  const reader = new AbortController();
  const sleeps = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT pg_sleep(60)'
    AND state = 'active'`;
  const reading = withCancellation(pool, reader.signal, (db) => db.query({ text: 'SELECT pg_sleep(60)' }));
  const outcome = expect(reading).rejects.toThrow('canceling statement due to user request');
  await eventually(async () => (await pool.query(sleeps)).rowCount === 1);
  reader.abort();
  await outcome;
  expect((await pool.query(sleeps)).rowCount).toBe(0);
});

test('behind a pooler in transaction mode no statement is prepared by name unless it keeps them, and no setting stays on a connection', async () => {
  const limits = { statementMs: 7_000, lockMs: 3_000 };
  const pooled = createPool({ url: database.url, max: 1, timeLimits: limits, transactionPooler: true });
  try {
    const first = await row<{ one: number }>(pooled, 'named', 'SELECT 1 AS one');
    await withTransaction(pooled, (db) => row(db, 'named', 'SELECT 2 AS one'));
    expect(first).toEqual({ one: 1 });
    const left = `SELECT (SELECT count(*) FROM pg_prepared_statements) AS prepared,
      current_setting('statement_timeout') AS limit`;
    expect(await row(pooled, 'left', left)).toEqual({ prepared: 0, limit: '0' });
  } finally {
    await pooled.end();
  }
  const options = { url: database.url, max: 1, transactionPooler: true, poolerPrepares: true };
  const preparing = createPool({ ...options, timeLimits: limits });
  try {
    await row(preparing, 'named', 'SELECT 1 AS one');
    const names = await rows(preparing, 'left', 'SELECT name FROM pg_prepared_statements ORDER BY name');
    expect(names).toEqual([{ name: 'left' }, { name: 'named' }]);
    expect(await row(preparing, 'limit', `SELECT current_setting('statement_timeout') AS limit`)).toEqual({
      limit: '0',
    });
  } finally {
    await preparing.end();
  }
});

test('the connections of a burst end when it is over, except two', async () => {
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'],
  });
  const burst = createPool({ url: database.url, max: 6 });
  try {
    await Promise.all(Array.from({ length: 6 }, () => burst.query('SELECT 1')));
    expect(burst.totalCount).toBe(6);
    jest.advanceTimersByTime(60_000);
    expect(burst.totalCount).toBe(2);
  } finally {
    jest.useRealTimers();
    await burst.end();
  }
});
