import { createNotifications, notifyAfterCommit, notifyChannels } from '../../../src/db/notify';
import { withTransaction } from '../../../src/db/pool';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const channel = notifyChannels.delivery;
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
