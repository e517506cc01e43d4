import { randomUUID } from 'node:crypto';
import { createPool } from '../../../src/base/db/pool';
import { updateRecipients, type BroadcastRun } from '../../../src/domains/broadcasts/queries/runs';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { projectsOf } from '../../support/installation';
import { createApi } from '../../support/api';

const RECIPIENTS = 5_000;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

it('a large broadcast after small ones reads its recipients a few times, not once for each', async () => {
  const { pool } = database;
  await pool.query('ALTER TABLE broadcast_recipients SET (autovacuum_enabled = off)');
  const project = await projectsOf(pool, (key) => createApi('', key)).createProject();
  for (let small = 0; small < 15; small += 1) await addBroadcast(project.id, 3);
  await pool.query(`UPDATE broadcast_recipients SET status = 'sent', ended_at = now()`);
  // From here on the planner takes the table for small, as it does until the next ANALYZE.
  await pool.query('ANALYZE broadcast_recipients');
  const id = await addBroadcast(project.id, RECIPIENTS);

  const before = await rowsRead();
  const own = createPool({ url: database.url, max: 1 });
  await updateRecipients(own, { id, projectId: project.id, senders: [] } as unknown as BroadcastRun);
  await own.query('SELECT pg_stat_force_next_flush()');
  await own.end();
  expect((await rowsRead()) - before).toBeLessThan(10 * RECIPIENTS);
});

async function addBroadcast(projectId: string, recipients: number): Promise<string> {
  const id = randomUUID();
  await database.pool.query(
    `INSERT INTO broadcasts (id, project_id, content, audience, status) VALUES ($1, $2, '{"text": "news"}', '{}', 'running')`,
    [id, projectId],
  );
  await database.pool.query(
    `INSERT INTO broadcast_recipients (broadcast_id, subscriber_id, channel)
     SELECT $1, gen_random_uuid(), 'telegram' FROM generate_series(1, $2)`,
    [id, recipients],
  );
  return id;
}

async function rowsRead(): Promise<number> {
  const { rows } = await database.pool.query<{ read: number }>(
    `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS read
     FROM pg_stat_user_tables WHERE relname = 'broadcast_recipients'`,
  );
  return rows[0]?.read ?? 0;
}
