import { randomUUID } from 'node:crypto';
import { beginRun, reportRun } from '../../../src/domains/broadcasts/queries/runs';
import { withTransaction } from '../../../src/base/db/pool';
import { lockEndpoint, rotateSecret } from '../../../src/domains/webhooks/queries/endpoints';
import { createTestDatabase, type TestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';

/** A lease that begins when its statement began, before a wait for a lock, is shorter than promised. */
describe('a lease that was taken after a wait for a lock', () => {
  let database: TestDatabase;
  let project: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    const { rows } = await database.pool.query<{ id: string }>(
      `INSERT INTO projects (slug, name) VALUES ('leases', 'Leases') RETURNING id`,
    );
    project = rows[0]!.id;
  });
  afterAll(() => database.drop());

  /** Runs `take` while another connection holds the rows, and returns the time at which it was still waiting. */
  async function afterWait(lock: string, id: string, take: () => Promise<unknown>): Promise<Date> {
    const holder = await database.pool.connect();
    try {
      await holder.query('BEGIN');
      await holder.query(lock, [id]);
      const taken = take();
      await eventually(async () => {
        const { rowCount } = await database.pool.query(
          `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return rowCount;
      });
      const { rows } = await holder.query<{ at: Date }>('SELECT clock_timestamp() AS at');
      await holder.query('COMMIT');
      await taken;
      return rows[0]!.at;
    } finally {
      holder.release();
    }
  }

  async function one(text: string, id: string): Promise<Date> {
    const { rows } = await database.pool.query<{ at: Date }>(text, [id]);
    return rows[0]!.at;
  }

  async function insertBroadcast(): Promise<string> {
    const { rows } = await database.pool.query<{ id: string }>(
      `INSERT INTO broadcasts (project_id, content, audience) SELECT id, '{}', '{}' FROM projects RETURNING id`,
    );
    return rows[0]!.id;
  }

  test.each([
    ['a broadcast’s worker', (id: string) => reportRun(database.pool, id)],
    ['a broadcast’s new run', (id: string) => beginRun(database.pool, id)],
  ])('lasts in full for %s', async (_, take) => {
    const id = await insertBroadcast();
    const waited = await afterWait('SELECT 1 FROM broadcasts WHERE id = $1 FOR UPDATE', id, () => take(id));
    const end = await one(`SELECT due_at - interval '2 minutes' AS at FROM agenda WHERE id = $1`, id);
    expect(end.getTime()).toBeGreaterThanOrEqual(waited.getTime());
  });

  test('lasts in full for a replaced secret', async () => {
    const id = randomUUID();
    await database.pool.query(
      `INSERT INTO endpoints (id, project_id, url, retry_policy) SELECT $1, id, 'https://x', 'quick' FROM projects`,
      [id],
    );
    await database.pool.query(`INSERT INTO endpoint_secrets (endpoint_id, sealed) VALUES ($1, 'a')`, [id]);
    const waited = await afterWait('SELECT 1 FROM endpoints WHERE id = $1 FOR UPDATE', id, () =>
      withTransaction(database.pool, async (db) => {
        await lockEndpoint(db, project, id);
        await rotateSecret(db, id, 'b', randomUUID());
      }),
    );
    const end = await one(
      `SELECT expires_at - interval '24 hours' AS at FROM endpoint_secrets WHERE endpoint_id = $1 AND sealed = 'a'`,
      id,
    );
    expect(end.getTime()).toBeGreaterThanOrEqual(waited.getTime());
  });
});
