import { randomUUID } from 'node:crypto';
import { createPool } from '../../../src/base/db/pool';
import { claimExpress, claimSlotless } from '../../../src/domains/webhooks/queries/claim';
import { findDueWork } from '../../../src/domains/webhooks/queries/due';
import { claimableLag, firstAttemptsWait } from '../../../src/domains/webhooks/queries/lag';
import { recordSuccesses } from '../../../src/domains/webhooks/queries/results';
import {
  endExpiredLeases,
  removeSlotless,
  shortenStartLease,
} from '../../../src/domains/webhooks/queries/queue';
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

describe('a queue that was short when its statements were planned', () => {
  const LONG = 100_000;
  const SLOTS = 20;

  /** Queues deliveries of one endpoint; those after the first hundred have only their row in the queue. */
  async function queue(endpointId: string, count: number): Promise<void> {
    await database.pool.query(
      `WITH event AS (
         INSERT INTO events (project_id, name, body) SELECT project_id, 'otp.sent', '{}'
         FROM endpoints, generate_series(1, least(100, $2::int)) WHERE id = $1 RETURNING id, project_id
       ), delivery AS (
         INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy)
         SELECT project_id, $1, id, 'otp.sent', 'quick' FROM event RETURNING id, project_id
       )
       INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, is_first, due_at)
       SELECT id, $1, project_id, true, now() FROM delivery
       UNION ALL
       SELECT gen_random_uuid(), $1, project_id, true, now() + interval '1 second'
       FROM endpoints, generate_series(101, $2) WHERE id = $1`,
      [endpointId, count],
    );
  }

  test('is read no further when it is long', async () => {
    const pool = createPool({ url: database.url, max: 1 });
    // Tables, not statements: what the planner reads is not among them.
    const pagesRead = async () => {
      await pool.query('SELECT pg_stat_force_next_flush()');
      const { rows } = await pool.query<{ pages: number }>(
        `SELECT sum(heap_blks_read + heap_blks_hit + coalesce(idx_blks_read + idx_blks_hit, 0))::int AS pages
         FROM pg_statio_user_tables`,
      );
      return rows[0]?.pages ?? 0;
    };
    const pagesOf = async (statement: () => Promise<unknown>) => {
      const before = await pagesRead();
      await statement();
      return (await pagesRead()) - before;
    };
    const claim = () => claimExpress(pool, { limit: 100, defaultLane: 'express' });
    const record = (claimed: { id: string; endpoint_id: string }[]) =>
      recordSuccesses(
        pool,
        claimed.map(({ id, endpoint_id }) => ({
          id,
          endpoint_id,
          http_status: 200,
          duration_ms: 1,
          request_headers: {},
          response_body: '',
          response_headers: {},
          refill: true,
        })),
        { defaultLane: 'express' },
      );
    const turn = async () => {
      const pages: Record<string, number> = {};
      let claimed: { id: string; endpoint_id: string }[] = [];
      pages['claim'] = await pagesOf(async () => (claimed = await claim()));
      expect(claimed).toHaveLength(SLOTS);
      pages['start fails'] = await pagesOf(() => shortenStartLease(pool, claimed[0]!.id));
      pages['start is done'] = await pagesOf(() =>
        removeSlotless(pool, { id: claimed[0]!.id, status: 'pending' }),
      );
      pages['slotless'] = await pagesOf(() => claimSlotless(pool, 10));
      pages['record and refill'] = await pagesOf(async () => {
        expect(await record(claimed)).toHaveLength(SLOTS);
      });
      pages['lag'] = await pagesOf(() => claimableLag(pool));
      pages['waits'] = await pagesOf(() => firstAttemptsWait(pool));
      pages['due'] = await pagesOf(() => findDueWork(pool));
      pages['leases'] = await pagesOf(() => endExpiredLeases(pool, 100));
      return pages;
    };
    try {
      // Its reads would count as those of a statement.
      await pool.query('ALTER TABLE delivery_queue SET (autovacuum_enabled = off)');
      // As after a quiet night: the table is known to be empty when these are planned.
      await pool.query('VACUUM delivery_queue');
      for (let i = 0; i < 6; i += 1) {
        await findDueWork(pool);
        await claimSlotless(pool, 10);
        await shortenStartLease(pool, randomUUID());
        await removeSlotless(pool, { id: randomUUID(), status: 'pending' });
      }
      const { rows } = await pool.query<{ id: string }>(
        `WITH project AS (INSERT INTO projects (slug, name) VALUES ('long-queue', 'Long queue') RETURNING id)
         INSERT INTO endpoints (project_id, url, retry_policy, concurrency)
         SELECT id, 'https://example.com', 'quick', ${SLOTS} / 2 FROM project, generate_series(1, 2)
         RETURNING id`,
      );
      const [first = '', second = ''] = rows.map(({ id }) => id).sort();
      // As on a connection that is made under load: nothing waits, and the index of the key has several pages.
      await pool.query(
        `INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, is_first, holder, claimed_at, lease_until)
         SELECT gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), true, 'express', now(), now() + interval '1 hour'
         FROM generate_series(1, 400)`,
      );
      expect(await claim()).toEqual([]);
      expect(await record([{ id: randomUUID(), endpoint_id: first }])).toEqual([]);
      await pool.query('DELETE FROM delivery_queue');
      for (const id of [first, second]) await queue(id, SLOTS);
      const short = await turn();
      await pool.query('DELETE FROM delivery_queue');
      // In the order of the index, those of the second endpoint are behind all of the first.
      await queue(first, LONG);
      await queue(second, SLOTS);
      const long = await turn();
      for (const [name, pages] of Object.entries(long)) {
        // Deeper indexes, and the dead entries of the first turn.
        expect({ name, few: pages < 4 * (short[name] ?? 0) + 100, pages }).toEqual({
          name,
          few: true,
          pages,
        });
      }
    } finally {
      await pool.end();
    }
  });
});
