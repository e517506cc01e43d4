import { createTestDatabase, type TestDatabase } from '../../support/database';

/** What a delivery writes on its way to a success. */
const WRITTEN = ['events', 'published_ids', 'deliveries', 'delivery_queue', 'attempts', 'endpoint_hours'];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('what a delivery writes has no foreign keys', async () => {
  const { rows } = await database.pool.query(
    `SELECT conname FROM pg_constraint
     WHERE contype = 'f' AND (conrelid::regclass::text = ANY ($1) OR confrelid::regclass::text = ANY ($1))`,
    [WRITTEN],
  );
  expect(rows).toEqual([]);
});

/** A delivery of a project and an endpoint that need not exist. */
async function insertDeliveries(count: number): Promise<string[]> {
  const { rows } = await database.pool.query<{ id: string }>(
    `INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy)
     SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'otp.sent', 'quick' FROM generate_series(1, $1)
     RETURNING id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

test('a success in the first attempt writes no index of the deliveries', async () => {
  const client = await database.pool.connect();
  try {
    for (let batch = 0; batch < 100; batch += 1) {
      await client.query(
        `UPDATE deliveries SET lane = 'express', status = 'succeeded', attempts = 1, scheduled_attempts = 1,
           first_attempt_at = now(), last_http_status = 200, ended_at = now(), next_attempt_at = NULL
         WHERE id = ANY ($1)`,
        [await insertDeliveries(10)],
      );
    }
    await client.query('SELECT pg_stat_force_next_flush()');
    const { rows } = await client.query<{ updated: number; hot: number }>(
      `SELECT n_tup_upd AS updated, n_tup_hot_upd AS hot FROM pg_stat_user_tables WHERE relname = 'deliveries'`,
    );
    expect(rows[0]?.updated).toBe(1_000);
    // Those of a page that was just filled may need another page.
    expect(rows[0]?.hot).toBeGreaterThan(900);
  } finally {
    client.release();
  }
});

test('deliveries without a success are listed, whatever statement changes them', async () => {
  const [first, retrying, failed, cancelled, retried] = (await insertDeliveries(5)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const set = (id: string, change: string) =>
    database.pool.query(`UPDATE deliveries SET ${change} WHERE id = $1`, [id]);
  const listed = async () => {
    const { rows } = await database.pool.query<{ delivery_id: string; status: string }>(
      'SELECT delivery_id, status FROM undelivered WHERE delivery_id = ANY ($1)',
      [[first, retrying, failed, cancelled, retried]],
    );
    return Object.fromEntries(rows.map(({ delivery_id, status }) => [delivery_id, status]));
  };
  await set(first, `lane = 'workflow'`);
  await set(retrying, 'attempts = 1');
  await set(failed, `attempts = 1, status = 'failed', ended_at = now()`);
  await set(cancelled, `status = 'cancelled', ended_at = now()`);
  await set(retried, 'round = 1');
  expect(await listed()).toEqual({
    [retrying]: 'pending',
    [failed]: 'failed',
    [cancelled]: 'cancelled',
    [retried]: 'pending',
  });
  for (const id of [retrying, failed, retried]) await set(id, `status = 'succeeded', ended_at = now()`);
  expect(await listed()).toEqual({ [cancelled]: 'cancelled' });
});
