import { createTestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { startTestService } from '../../support/service';
import { startTestSimulator } from '../../support/simulator';

test('a start whose seed fails reports that error and leaves no connection', async () => {
  const database = await createTestDatabase();
  const simulator = await startTestSimulator();
  try {
    const start = startTestService({
      database,
      simulator,
      queues: ['logins'],
      seed: () => Promise.reject(new Error('no room for the demo')),
    });
    await expect(start).rejects.toThrow('no room for the demo');
    await eventually(async () => {
      const { rows } = await database.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'herald %'`,
      );
      return rows.length === 0;
    });
  } finally {
    await simulator.stop();
    await database.drop();
  }
});
