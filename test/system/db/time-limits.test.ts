import type pg from 'pg';
import { withTimeout } from '../../../src/base/lib/timeout';
import { isUnavailable } from '../../../src/base/lib/unavailable';
import { createPool, withTransaction } from '../../../src/base/db/pool';
import { createPools, type Purpose } from '../../../src/base/db/pools';
import { onBehalfOf } from '../../../src/base/db/project-share';
import { createTestDatabase, patient, type TestDatabase } from '../../support/database';
import { startTcpProxy } from '../../support/tcp-proxy';

const timeLimits = { statementMs: 500, lockMs: 200 };
const purposes: Purpose[] = ['login', 'requests', 'background'];

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query('CREATE TABLE things (id int PRIMARY KEY, at timestamptz)');
  await database.pool.query('INSERT INTO things VALUES (1, now())');
  pool = patient(createPool({ url: database.url, max: 2, timeLimits }));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Whether callers of the API get a 503 for it, and activities are retried. */
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error: unknown) => (isUnavailable(error) ? 'unavailable' : String(error)),
  );

test('each purpose has limits on its connections, and the pools stay within the size together', async () => {
  const pools = createPools({ url: database.url, roles: ['api', 'worker', 'bots'], size: 20, timeLimits });
  try {
    for (const purpose of purposes) {
      const { rows } = await patient(pools[purpose]).query(
        `SELECT current_setting('statement_timeout') AS statement, current_setting('lock_timeout') AS lock,
           current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('application_name') AS name`,
      );
      expect(rows).toEqual([{ statement: '500ms', lock: '200ms', idle: '500ms', name: `herald ${purpose}` }]);
    }
    expect(purposes.map((purpose) => pools[purpose].options.max)).toEqual([6, 6, 6]);
  } finally {
    await pools.end();
  }
});

test('a process has the pools that its roles need', async () => {
  const pools = createPools({ url: database.url, roles: ['worker'], size: 20, timeLimits });
  expect(purposes.map((purpose) => pools[purpose].options.max)).toEqual([9, 9, 9]);
  expect([pools.requests === pools.login, pools.background === pools.login]).toEqual([true, false]);
  await pools.end();
});

test('a long statement, a long wait for a lock and an idle transaction end, and the database counts as unavailable', async () => {
  expect(await failure(pool.query('SELECT pg_sleep(60)'))).toBe('unavailable');
  const locked = await database.pool.connect();
  try {
    await locked.query('BEGIN; UPDATE things SET at = now()');
    expect(await failure(pool.query('UPDATE things SET at = now()'))).toBe('unavailable');
  } finally {
    await locked.query('ROLLBACK');
    locked.release();
  }
  const idle = withTransaction(pool, async (db) => {
    await db.query('UPDATE things SET at = now()');
    await database.pool.query('SELECT pg_sleep(1)');
    await db.query('SELECT 1');
  });
  expect(await failure(idle)).toBe('unavailable');
  expect(await failure(pool.query('UPDATE things SET at = now()'))).toBe('none');
});

test('a transaction of short statements ends at its deadline, and its locks with it', async () => {
  const endless = withTransaction(pool, async (db) => {
    for (;;) await db.query('UPDATE things SET at = now(); SELECT pg_sleep(0.05)');
  });
  expect(await failure(endless)).toBe('unavailable');
  expect(await failure(pool.query('UPDATE things SET at = now()'))).toBe('none');
});

test('maintenance has no limits', async () => {
  const { rows } = await database.pool.query('SHOW statement_timeout');
  expect(rows).toEqual([{ statement_timeout: '0' }]);
});

test('a silent connection is given up, and another one serves the next statement', async () => {
  const { port } = new URL(database.url);
  const proxy = await startTcpProxy(Number(port));
  const url = new URL(database.url);
  url.port = String(proxy.port);
  const far = patient(createPool({ url: url.href, max: 1, timeLimits }));
  try {
    await far.query('SELECT 1');
    proxy.silence();
    // Neither it nor what waits behind it waits without end.
    const [silent, inTransaction] = await withTimeout(
      Promise.all([
        failure(far.query('SELECT 1')),
        failure(withTransaction(far, (db) => db.query('SELECT 1'))),
      ]),
      60_000,
    );
    expect([silent, inTransaction]).toEqual(['unavailable', 'none']);
    expect(far.totalCount).toBe(1);
  } finally {
    await far.end();
    await proxy.close();
  }
});

describe('the share of a project', () => {
  let shared: ReturnType<typeof createPool>;
  beforeEach(() => {
    shared = createPool({ url: database.url, max: 3, projectShare: 2 });
    patient(shared);
  });
  afterEach(() => shared.end());

  test('a project that holds its share waits for itself, and others do not', async () => {
    const held = await onBehalfOf('a', () => Promise.all([shared.connect(), shared.connect()]));
    const third = onBehalfOf('a', () => shared.query('SELECT 1'));
    await onBehalfOf('b', () => shared.query('SELECT 1'));
    await shared.query('SELECT 1');
    expect([shared.heldBackCount, shared.waitingCount]).toEqual([1, 0]);
    held[0].release();
    await third;
    expect(shared.heldBackCount).toBe(0);
    held[1].release();
  });

  test('a wait that is too long fails, and gives up its place', async () => {
    const held = await onBehalfOf('a', () => Promise.all([shared.connect(), shared.connect()]));
    shared.options.connectionTimeoutMillis = 100;
    expect(await failure(onBehalfOf('a', () => shared.query('SELECT 1')))).toBe('unavailable');
    for (const client of held) client.release();
    shared.options.connectionTimeoutMillis = 30_000;
    await onBehalfOf('a', () => Promise.all([1, 2, 3].map(() => shared.query('SELECT 1'))));
  });

  test('a transaction that needs a second connection does not wait for itself', async () => {
    await onBehalfOf('a', () =>
      Promise.all([1, 2].map(() => withTransaction(shared, () => shared.query('SELECT pg_sleep(0.1)')))),
    );
  });
});
