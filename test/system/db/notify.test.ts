import pg from 'pg';
import { createNotifications, notifyAfterCommit, notifyChannels } from '../../../src/base/db/notify';
import { withTransaction } from '../../../src/base/db/pool';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const channel = notifyChannels.workflowLane;
const commitAndNotify = () =>
  withTransaction(database.pool, async (db) => {
    await db.query('SELECT 1');
    notifyAfterCommit(db, channel);
  });

test('a commit wakes its own process once, and at once; another process is heard too', async () => {
  const notifications = createNotifications({ url: database.url });
  const heard: (string | null)[] = [];
  try {
    notifications.on(channel, (payload) => heard.push(payload));
    // The connection is made: what follows is not lost.
    await eventually(() => heard.includes(null));
    heard.length = 0;
    await commitAndNotify();
    expect(heard).toEqual(['']);
    await database.pool.query('SELECT pg_notify($1, $2)', [channel, 'another process']);
    await eventually(() => heard.includes('another process'));
    expect(heard).toEqual(['', 'another process']);
  } finally {
    await notifications.stop();
  }
  await commitAndNotify();
  expect(heard).toHaveLength(2);
});

test('the rows that a transaction names are heard after its commit, in its own process and in others, and none after a rollback', async () => {
  const notifications = createNotifications({ url: database.url });
  const other = new pg.Client({ connectionString: database.url });
  const heard: (string | null)[] = [];
  const heardElsewhere: string[] = [];
  try {
    notifications.on(notifyChannels.session, (payload) => heard.push(payload));
    await eventually(() => heard.includes(null));
    heard.length = 0;
    await other.connect();
    other.on('notification', ({ payload }) => heardElsewhere.push(payload!.replace(/^@[^/]*\//, '')));
    await other.query(`LISTEN ${notifyChannels.session}`);
    await withTransaction(database.pool, async (db) => {
      await db.query('SELECT 1');
      for (const id of ['one', 'two', 'one']) notifyAfterCommit(db, notifyChannels.session, id);
      expect(heard).toEqual([]);
    });
    const failed = withTransaction(database.pool, async (db) => {
      notifyAfterCommit(db, notifyChannels.session, 'rolled back');
      await db.query('SELECT 1 / 0');
    });
    await expect(failed).rejects.toThrow('division');
    await eventually(() => heardElsewhere.length >= 2 && heard.length >= 2, 2000).catch(() => {
      throw new Error(JSON.stringify([heard, heardElsewhere]));
    });
    expect(new Set(heard)).toEqual(new Set(['one', 'two']));
    expect(new Set(heardElsewhere)).toEqual(new Set(['one', 'two']));
  } finally {
    await notifications.stop();
    await other.end();
  }
});
