import {
  claimBotUpdates,
  markBotUpdateHandled,
  storeBotUpdates,
} from '../../../src/domains/bots/queries/updates';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

jest.setTimeout(120_000);

const MANY = 100_000;
const LIMIT = 48;
const LEASE_SECONDS = 30;

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

/** Updates of the shared bot and, after them, one of another bot. */
async function store(chatQueue: string): Promise<void> {
  // Without the trigger, which takes a lock for each chat.
  await database.pool.query(
    `ALTER TABLE bot_updates DISABLE TRIGGER begin_chat_queue;
     INSERT INTO bot_updates (channel, dedupe_key, chat_queue, payload, due_at)
     SELECT 'telegram', n::text, ${chatQueue}, '{}',
       CASE WHEN n = 1 OR ${chatQueue} <> 'user:1' THEN now() + n * interval '1 microsecond' - interval '1 minute' END
     FROM generate_series(1, ${MANY}) AS n;
     ALTER TABLE bot_updates ENABLE TRIGGER begin_chat_queue`,
  );
  await database.pool.query('VACUUM ANALYZE bot_updates');
  await storeBotUpdates(
    database.pool,
    'telegram',
    [{ dedupeKey: 'last', chatQueue: 'user:0', payload: {} }],
    undefined,
    'telegram:7',
  );
}

interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Relation Name'?: string;
  Plans?: Plan[];
}

/** The rows of the table that a claim reads, those that a filter drops included. */
async function rowsRead(): Promise<number> {
  let sql = '';
  let values: unknown[] = [];
  const recording = {
    query: (text: string | { text: string; values?: unknown[] }, given?: unknown[]) => {
      sql = typeof text === 'string' ? text : text.text;
      values = (typeof text === 'string' ? given : text.values) ?? [];
      return Promise.resolve({ rows: [], rowCount: 0 });
    },
  };
  await claimBotUpdates(recording as never, LIMIT, LEASE_SECONDS, { perBot: 16, inFlight: new Map() });
  const client = await database.pool.connect();
  try {
    await client.query('BEGIN');
    const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${sql}`,
      values,
    );
    const sum = (plan: Plan): number =>
      (plan['Relation Name'] === 'bot_updates'
        ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
        : 0) + (plan.Plans ?? []).reduce((total, each) => total + sum(each), 0);
    return sum(rows[0]?.['QUERY PLAN'][0].Plan as Plan);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
}

const claim = (perBot = LIMIT) =>
  claimBotUpdates(database.pool, LIMIT, LEASE_SECONDS, { perBot, inFlight: new Map() });
const ids = async (of: ReturnType<typeof claim>) =>
  (await of).map(({ id }) => Number(id)).sort((a, b) => a - b);

test('of 100,000 updates of one chat a claim reads a few, in order, and the other bot is served', async () => {
  await store(`'user:1'`);
  expect(await rowsRead()).toBeLessThan(20);
  expect(await ids(claim())).toEqual([1, MANY + 1]);
  expect(await ids(claim())).toEqual([]);
  await markBotUpdateHandled(database.pool, 1);
  expect(await ids(claim())).toEqual([2]);
});

test('of 100,000 chats a claim reads as many as it leases, the oldest first, also when all the others wait', async () => {
  await store(`'user:' || n`);
  expect(await rowsRead()).toBeLessThan(5 * LIMIT);
  expect(await ids(claim(16))).toEqual([...Array.from({ length: 16 }, (_, n) => n + 1), MANY + 1]);
  // As in an outage of the platform: every retry is due later.
  await database.pool.query(
    `UPDATE bot_updates SET due_at = now() + interval '1 minute' WHERE id <= ${MANY}`,
  );
  await database.pool.query('VACUUM ANALYZE bot_updates');
  expect(await rowsRead()).toBeLessThan(20);
  expect(await ids(claim())).toEqual([]);
});

test('an update that is stored while the one before it is handled is not forgotten', async () => {
  const { pool } = database;
  const one = (n: number) =>
    storeBotUpdates(pool, 'telegram', [{ dedupeKey: String(n), chatQueue: 'user:1', payload: {} }]);
  await one(0);
  const handled: number[] = [];
  const handling = (async () => {
    for (;;) {
      const claimed = await claim();
      for (const { id } of claimed) {
        handled.push(Number(id));
        await markBotUpdateHandled(pool, id);
      }
      if (handled.length === 101) return;
      if (claimed.length === 0) await eventually(async () => (await waiting()) > 0);
    }
  })();
  const waiting = async () =>
    (await pool.query(`SELECT 1 FROM bot_updates WHERE due_at IS NOT NULL AND handled_at IS NULL`)).rows
      .length;
  for (let n = 1; n <= 100; n += 10) await Promise.all(Array.from({ length: 10 }, (_, k) => one(n + k)));
  await handling;
  expect(handled).toEqual([...handled].sort((a, b) => a - b));
  expect(new Set(handled).size).toBe(101);
});

test('an update that an operator takes up again waits for its turn in the chat', async () => {
  const { pool } = database;
  const store2 = ['a', 'b'].map((key) => ({ dedupeKey: key, chatQueue: 'user:1', payload: {} }));
  await storeBotUpdates(pool, 'telegram', store2);
  const [first] = await ids(claim());
  await pool.query('UPDATE bot_updates SET set_aside_at = now(), due_at = NULL WHERE id = $1', [first]);
  const [second] = await ids(claim());
  expect(second).toBe(Number(first) + 1);
  await pool.query('UPDATE bot_updates SET set_aside_at = NULL, failures = 0 WHERE id = $1', [first]);
  expect(await ids(claim())).toEqual([]);
  await markBotUpdateHandled(pool, Number(second));
  expect(await ids(claim())).toEqual([first]);
});
