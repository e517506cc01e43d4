import type http from 'node:http';
import { limits } from '../../../src/contract/limits';
import { emitBulkEvents } from '../../../src/events/queries/emit-bulk';
import { emitEvent } from '../../../src/events/queries/emit';
import { eventRegistry } from '../../../src/events/contract';
import { CLAIM_LOCK, claimStarts } from '../../../src/webhooks/queries/starts';
import { claimExpress } from '../../../src/webhooks/queries/express';
import { createTestDatabase } from '../../support/database';
import { eventually } from '../../support/eventually';
import { startTestService, type TestProject, type TestService } from '../../support/service';
import {
  createEndpoint,
  emitExample,
  emitOne,
  listDeliveries,
  scriptedReceiver,
  untilAttempts,
  untilStatus,
  workflowOf,
} from './fixture';

const cap = limits.webhookConcurrencyPerEndpoint;

describe('with workers', () => {
  let service: TestService;
  let project: TestProject;

  beforeAll(async () => {
    service = await startTestService({ roles: 'api,worker' });
    project = await service.createProject();
  });

  afterAll(() => service?.stop());

  test('a hanging endpoint holds up nobody else, and takes no more than its share', async () => {
    const held: http.ServerResponse[] = [];
    const hanging = await scriptedReceiver((res) => void held.push(res));
    const fine = await scriptedReceiver();
    const stuck = await createEndpoint(project, hanging.url, { events: ['otp.sent'] });
    const neighbour = await service.createProject();
    const good = await createEndpoint(neighbour, fine.url);
    try {
      for (let i = 0; i < cap + 10; i += 1) await emitExample(service, project, 'otp.sent');
      await eventually(() => held.length === cap);

      const ids = [];
      for (let i = 0; i < 10; i += 1) ids.push(await emitOne(service, neighbour, good.id));
      for (const id of ids) await untilStatus(neighbour, id, 'succeeded');
      // All of the neighbour's arrived while every slot of the hanging one was taken.
      expect(hanging.received).toHaveLength(cap);
      expect((await listDeliveries(project, stuck.id, '?status=succeeded')).length).toBe(0);

      // A slot that becomes free goes to the next in line at once.
      held[0]!.end();
      await eventually(() => held.length === cap + 1);
      hanging.behave(200);
      for (const res of held) res.end();
      await eventually(
        async () => (await listDeliveries(project, stuck.id, '?status=succeeded')).length === cap + 10,
      );
      expect(hanging.received).toHaveLength(cap + 10);
    } finally {
      await hanging.close();
      await fine.close();
    }
  });

  test.each(['workflow', 'express'])(
    'attempts on an endpoint that does not answer begin one after another, in the %s lane',
    async (lane) => {
      const dialled: number[] = [];
      const held: http.ServerResponse[] = [];
      const hanging = await scriptedReceiver((res) => {
        dialled.push(performance.now());
        held.push(res);
      });
      const other = await service.createProject();
      const endpoint = await createEndpoint(other, hanging.url, { delivery_lane: lane });
      try {
        const ids = [await emitOne(service, other, endpoint.id)];
        await eventually(() => dialled.length === 1);
        await eventually(() => performance.now() - dialled[0]! > 1_500);
        for (let i = 0; i < 5; i += 1) ids.push(await emitOne(service, other, endpoint.id));
        await eventually(() => dialled.length === 6);
        // One a second, and what the second before them has saved.
        expect(dialled[5]! - dialled[1]!).toBeGreaterThan(2_000);

        // It answers: nothing is held back any more.
        hanging.behave(200);
        for (const res of held) res.end();
        for (const id of ids) await untilStatus(other, id, 'succeeded');
        expect(hanging.received).toHaveLength(6);
      } finally {
        await hanging.close();
      }
    },
  );

  test('a retry that finds no free slot waits in line and is called', async () => {
    const receiver = await scriptedReceiver(503);
    const endpoint = await createEndpoint(project, receiver.url, { events: ['auth.completed'] });
    try {
      const id = await emitOne(service, project, endpoint.id);
      await untilAttempts(project, id, 1);
      // Twenty others hold the endpoint's slots, as far as the rows tell.
      await service.pool.query(
        `WITH event AS (INSERT INTO events (project_id, name, body) VALUES ($1, 'otp.sent', '{}') RETURNING id)
         INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, start_at, slot_until)
         SELECT $1, $2, event.id, 'otp.sent', 'quick', NULL, now() + interval '1 hour'
         FROM event, generate_series(1, $3)`,
        [project.id, endpoint.id, cap],
      );
      await service.pool.query('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [id]);
      await workflowOf(service, id).signal('look');
      await eventually(async () => {
        const { rows } = await service.pool.query<{ queued: boolean }>(
          'SELECT start_at IS NOT NULL AS queued FROM deliveries WHERE id = $1',
          [id],
        );
        return rows[0]?.queued;
      });
      expect(receiver.of(id)).toHaveLength(1);

      receiver.behave(200);
      await service.pool.query(
        `UPDATE deliveries SET slot_until = NULL, status = 'succeeded' WHERE endpoint_id = $1 AND id <> $2`,
        [endpoint.id, id],
      );
      await untilStatus(project, id, 'succeeded');
      expect(receiver.of(id)).toHaveLength(2);
    } finally {
      await receiver.close();
    }
  });
});

/** One project with five endpoints, each with forty deliveries that are due; answers the endpoints. */
const WITH_FIVE_ENDPOINTS = `WITH project AS (INSERT INTO projects (slug, name) VALUES ('one', 'One') RETURNING id),
    endpoint AS (INSERT INTO endpoints (project_id, url, retry_policy)
      SELECT project.id, 'https://example.com', 'durable' FROM project, generate_series(1, 5)
      RETURNING id, project_id),
    event AS (INSERT INTO events (project_id, name, body) SELECT id, 'otp.sent', '{}' FROM project RETURNING id),
    delivery AS (INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy)
      SELECT endpoint.project_id, endpoint.id, event.id, 'otp.sent', 'durable'
      FROM endpoint, event, generate_series(1, 40))
  SELECT id FROM endpoint`;

describe('the order of starts', () => {
  test('projects take turns, bulk events come last, and no endpoint gets more than its slots', async () => {
    const database = await createTestDatabase();
    const { pool } = database;
    const names = new Map<string, string>();
    try {
      const [busy, quiet, crowd] = await Promise.all(['busy', 'quiet', 'crowd'].map(projectWithEndpoint));
      const otp = { name: 'otp.sent', data: eventRegistry['otp.sent'].example } as const;
      const emit = (projectId: string) => emitEvent(pool, projectId, otp.name, otp.data);
      await emitBulkEvents(pool, crowd!, Array(5).fill(otp));
      for (let i = 0; i < 30; i += 1) await emit(busy!);
      for (let i = 0; i < 2; i += 1) await emit(quiet!);

      const order = async (limit: number) =>
        (await claimStarts(pool, limit)).map(({ project_id }) => names.get(project_id)).sort();
      expect(await order(4)).toEqual(['busy', 'busy', 'quiet', 'quiet']);
      // Eighteen slots are left for the busy one; then the bulk events have their turn.
      expect(await order(16)).toEqual(Array(16).fill('busy'));
      expect(await order(16)).toEqual(['busy', 'busy', ...Array<string>(5).fill('crowd')]);
      expect(await order(16)).toEqual([]);
    } finally {
      await database.drop();
    }

    async function projectWithEndpoint(name: string): Promise<string> {
      const { rows } = await pool.query<{ id: string }>(
        `INSERT INTO projects (slug, name) VALUES ($1, $1) RETURNING id`,
        [name],
      );
      names.set(rows[0]!.id, name);
      await pool.query(
        `INSERT INTO endpoints (project_id, url, retry_policy) VALUES ($1, 'https://example.com', 'durable')`,
        [rows[0]!.id],
      );
      return rows[0]!.id;
    }
  });

  test('an endpoint with an allowance gets no more than that, and others what they have slots for', async () => {
    const database = await createTestDatabase();
    const { pool } = database;
    try {
      const { rows } = await pool.query<{ id: string }>(WITH_FIVE_ENDPOINTS);
      const ids = rows.map(({ id }) => id);
      const claimed = await claimStarts(pool, 200, {
        allowances: { ids: ids.slice(0, 3), counts: [0, 2, 50] },
      });
      const counts = ids.map((id) => claimed.filter(({ endpoint_id }) => endpoint_id === id).length);
      expect(counts).toEqual([0, 2, cap, cap, cap]);
      expect(claimed.every(({ has_slot }) => has_slot)).toBe(true);
    } finally {
      await database.drop();
    }
  });

  test('a delivery that was handed over and is not due needs no slot to get its workflow', async () => {
    const database = await createTestDatabase();
    const { pool } = database;
    try {
      const { rows } = await pool.query<{ id: string }>(WITH_FIVE_ENDPOINTS);
      const [endpoint, disabled] = rows.map(({ id }) => id);
      await claimStarts(pool, 200);
      const handOver = (endpointId: string | undefined, next: string) =>
        pool.query<{ id: string; next_attempt_at: Date }>(
          `UPDATE deliveries SET lane = 'express', attempts = 1, start_at = now(), next_attempt_at = now() + $2::interval,
             last_error = 'timeout'
           WHERE id = (SELECT id FROM deliveries WHERE endpoint_id = $1 AND attempts = 0 AND slot_until IS NULL LIMIT 1)
           RETURNING id, next_attempt_at`,
          [endpointId, next],
        );
      const later = await handOver(endpoint, '1 minute');
      await handOver(endpoint, '-1 second');
      await pool.query(`UPDATE endpoints SET status = 'disabled' WHERE id = $1`, [disabled]);
      await handOver(disabled, '1 minute');
      const claimed = await claimStarts(pool, 200, {
        allowances: { ids: [endpoint ?? ''], counts: [0] },
      });
      const [{ id, next_attempt_at } = { id: '', next_attempt_at: new Date(0) }] = later.rows;
      const handed_over = { nextAttemptAt: next_attempt_at.getTime(), httpStatus: null, error: 'timeout' };
      expect(claimed).toMatchObject([{ id, has_slot: false, handed_over }]);

      // Nor does it take one where all are free and slots are looked for first.
      await pool.query('UPDATE deliveries SET slot_until = NULL, start_at = NULL WHERE id <> $1', [id]);
      await pool.query('UPDATE deliveries SET start_at = now() WHERE id = $1', [id]);
      expect(await claimStarts(pool, 200, { slotlessFirst: false })).toMatchObject([{ id, has_slot: false }]);
    } finally {
      await database.drop();
    }
  });

  test('with room for one, what needs no slot and what needs one take turns as they are asked to', async () => {
    const database = await createTestDatabase();
    const { pool } = database;
    try {
      await pool.query(WITH_FIVE_ENDPOINTS);
      await pool.query(
        `UPDATE deliveries SET lane = 'express', attempts = 1, next_attempt_at = now() + interval '1 minute'
         WHERE id IN (SELECT id FROM deliveries LIMIT 50)`,
      );
      const [slotless] = await claimStarts(pool, 1, { slotlessFirst: true });
      const [pending] = await claimStarts(pool, 1, { slotlessFirst: false });
      expect([slotless?.has_slot, pending?.has_slot]).toEqual([false, true]);
    } finally {
      await database.drop();
    }
  });

  test('what needs no slot does not wait for whoever claims slots, nor does a look that finds nothing', async () => {
    const database = await createTestDatabase();
    const { pool } = database;
    const other = await pool.connect();
    try {
      await pool.query(WITH_FIVE_ENDPOINTS);
      await claimStarts(pool, 200);
      await pool.query(
        `UPDATE deliveries SET lane = 'express', attempts = 1, next_attempt_at = now() + interval '1 minute', slot_until = NULL,
           start_at = now()
         WHERE id IN (SELECT id FROM deliveries LIMIT 3)`,
      );
      await pool.query(`UPDATE deliveries SET start_at = NULL WHERE attempts = 0`);
      await other.query('BEGIN');
      await other.query('SELECT pg_advisory_xact_lock($1)', [CLAIM_LOCK]);
      expect(await claimStarts(pool, 200)).toHaveLength(3);
      await pool.query('UPDATE deliveries SET start_at = NULL');
      expect(await claimStarts(pool, 200)).toEqual([]);
      expect(await claimExpress(pool, 200, { ids: [], counts: [] })).toEqual([]);
    } finally {
      await other.query('ROLLBACK');
      other.release();
      await database.drop();
    }
  });

  test('two relays never claim the same delivery', async () => {
    const database = await createTestDatabase();
    const { pool } = database;
    try {
      await pool.query(WITH_FIVE_ENDPOINTS);
      const claims = await Promise.all(Array.from({ length: 20 }, () => claimStarts(pool, 7)));
      const ids = claims.flat().map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toHaveLength(Math.min(20 * 7, 5 * cap));
    } finally {
      await database.drop();
    }
  });
});
