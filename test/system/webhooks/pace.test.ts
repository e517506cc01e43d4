import { randomUUID } from 'node:crypto';
import type http from 'node:http';
import { WorkflowClient } from '@temporalio/client';
import type pg from 'pg';
import { limits } from '../../../src/base/contract/limits';
import { eventRegistry } from '../../../src/domains/events/contract';
import { emitEvent, emitEvents } from '../../../src/domains/events';
import type { LaneSetting } from '../../../src/domains/webhooks/contract';
import { claimExpress, claimSlotless, claimStarts } from '../../../src/domains/webhooks/queries/claim';
import { claimableLag, waitingSeconds } from '../../../src/domains/webhooks/queries/lag';
import { cancelDelivery, requestRetries } from '../../../src/domains/webhooks/queries/deliveries';
import { adaptConcurrency } from '../../../src/domains/webhooks/queries/endpoints';
import { endExpiredLeases } from '../../../src/domains/webhooks/queries/queue';
import { createTestDatabase, type TestDatabase } from '../../support/database';
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

async function concurrencyOf(pool: pg.Pool, endpointId: string): Promise<number | undefined> {
  const { rows } = await pool.query<{ concurrency: number }>(
    'SELECT concurrency FROM endpoints WHERE id = $1',
    [endpointId],
  );
  return rows[0]?.concurrency;
}

describe.each(['workflow', 'express'] as const)('with workers, in the %s lane', (lane) => {
  let service: TestService;
  let project: TestProject;

  beforeAll(async () => {
    // Its own: the lane is a setting.
    service = await startTestService({ lane, roles: 'api,worker', queues: ['deliveries'] });
    project = await service.createProject();
  });

  afterAll(() => service?.stop());

  test('a hanging endpoint holds up no other one, and takes no more than its slots', async () => {
    const held: http.ServerResponse[] = [];
    let most = 0;
    const hanging = await scriptedReceiver((res) => {
      held.push(res);
      most = Math.max(most, held.length);
      res.on('close', () => void held.splice(held.indexOf(res), 1));
    });
    const fine = await scriptedReceiver();
    const stuck = await createEndpoint(project, hanging.url, { events: ['otp.sent'] });
    const neighbour = await service.createProject();
    const good = await createEndpoint(neighbour, fine.url);
    try {
      // All at once: the first attempts must not time out before the last is made.
      await Promise.all(Array.from({ length: cap + 10 }, () => emitExample(service, project, 'otp.sent')));
      await eventually(() => most === cap);

      const ids = [];
      for (let i = 0; i < 10; i += 1) ids.push(await emitOne(service, neighbour, good.id));
      for (const id of ids) await untilStatus(neighbour, id, 'succeeded');
      // All of the neighbour's arrived while the hanging one had its slots, and no more.
      expect(most).toBe(cap);
      expect((await listDeliveries(project, stuck.id, '?status=succeeded')).length).toBe(0);

      const before = hanging.received.length;
      held[0]?.end();
      await eventually(() => hanging.received.length > before);
      expect(most).toBe(cap);
      hanging.behave(200);
      await eventually(async () => {
        for (const res of held) res.end();
        return (await listDeliveries(project, stuck.id, '?status=succeeded')).length === cap + 10;
      });
      // Once each, but for attempts that had timed out.
      const { rows } = await service.pool.query<{ error: string | null }>(
        'SELECT a.error FROM attempts a JOIN deliveries d ON d.id = a.delivery_id WHERE d.endpoint_id = $1',
        [stuck.id],
      );
      expect(hanging.received).toHaveLength(rows.length);
      expect(rows.filter(({ error }) => error !== 'timeout')).toHaveLength(cap + 10);
    } finally {
      await hanging.close();
      await fine.close();
    }
  });

  test('"retry now" takes the next free slot before everything else of its endpoint', async () => {
    const held: http.ServerResponse[] = [];
    const receiver = await scriptedReceiver((res) => void held.push(res));
    const other = await service.createProject();
    const endpoint = await createEndpoint(other, receiver.url);
    try {
      await Promise.all(Array.from({ length: cap }, () => emitExample(service, other, 'otp.sent')));
      await eventually(() => held.length >= cap);
      const waiting = [];
      for (let i = 0; i < 3; i += 1) waiting.push(await emitOne(service, other, endpoint.id));
      const last = waiting[2]!;
      expect((await other.api('POST', `/v1/deliveries/${last}/retry`)).status).toBe(202);
      const before = held.length;
      held[0]!.end();
      await eventually(() => held.length > before);
      expect(receiver.of(last)).toHaveLength(1);
      receiver.behave(200);
      for (const res of held) res.end();
      for (const id of waiting) await untilStatus(other, id, 'succeeded');
    } finally {
      await receiver.close();
    }
  });

  test('a retry that finds no free slot waits for one and is then made', async () => {
    const receiver = await scriptedReceiver(503);
    const other = await service.createProject();
    const endpoint = await createEndpoint(other, receiver.url);
    try {
      const id = await emitOne(service, other, endpoint.id);
      await untilAttempts(other, id, 1);
      await eventually(() =>
        workflowOf(service, id)
          .describe()
          .then(
            ({ status }) => status.name === 'RUNNING',
            () => false,
          ),
      );
      // As far as the queue tells, twenty other attempts are in flight.
      await service.pool.query(
        `WITH event AS (INSERT INTO events (project_id, name, body) VALUES ($1, 'otp.sent', '{}') RETURNING id),
         other AS (
           INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, attempts, started)
           SELECT $1, $2, event.id, 'otp.sent', 'quick', 1, true FROM event, generate_series(1, $3) RETURNING id)
         INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, is_first, holder, claimed_at, lease_until)
         SELECT id, $2, $1, false, 'workflow', now(), now() + interval '1 hour' FROM other`,
        [other.id, endpoint.id, cap],
      );
      await service.pool.query('UPDATE deliveries SET next_attempt_at = now() WHERE id = $1', [id]);
      await workflowOf(service, id).signal('changed');
      await eventually(async () => {
        const { rows } = await service.pool.query(
          'SELECT 1 FROM delivery_queue WHERE delivery_id = $1 AND holder IS NULL',
          [id],
        );
        return rows.length === 1;
      });
      expect(receiver.of(id)).toHaveLength(1);

      receiver.behave(200);
      await service.pool.query('DELETE FROM delivery_queue WHERE endpoint_id = $1 AND delivery_id <> $2', [
        endpoint.id,
        id,
      ]);
      await untilStatus(other, id, 'succeeded');
      expect(receiver.of(id)).toHaveLength(2);
    } finally {
      await receiver.close();
    }
  });

  test('a timeout halves the attempts in flight, and a fast success doubles them', async () => {
    const held: http.ServerResponse[] = [];
    const receiver = await scriptedReceiver((res) => void held.push(res));
    const other = await service.createProject();
    const endpoint = await createEndpoint(other, receiver.url);
    const version = async () =>
      (await service.pool.query('SELECT version, updated_at FROM endpoints WHERE id = $1', [endpoint.id]))
        .rows[0] as unknown;
    try {
      const before = await version();
      const ids = [];
      for (let i = 0; i < 3; i += 1) ids.push(await emitOne(service, other, endpoint.id));
      await eventually(() => held.length === 3);
      // All three saw twenty slots: together they halve them once.
      await eventually(async () => (await concurrencyOf(service.pool, endpoint.id)) === cap / 2);
      for (const id of ids) await untilAttempts(other, id, 1);
      expect(await concurrencyOf(service.pool, endpoint.id)).toBe(cap / 2);
      receiver.behave(200);
      // Only a quick success doubles them, which an attempt on a slow machine may not be.
      await eventually(async () => {
        const next = await emitOne(service, other, endpoint.id);
        await untilStatus(other, next, 'succeeded');
        return (await concurrencyOf(service.pool, endpoint.id)) === cap;
      });
      expect(await version()).toEqual(before);
    } finally {
      await receiver.close();
    }
  });
});

describe('the auto lane', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ lane: 'auto', roles: 'api,worker', queues: ['deliveries'] });
  });
  afterAll(() => service?.stop());

  async function laneOf(id: string): Promise<string | null> {
    const { rows } = await service.pool.query<{ lane: string | null }>(
      'SELECT lane FROM deliveries WHERE id = $1',
      [id],
    );
    return rows[0]?.lane ?? null;
  }

  test('while the relay keeps up, a delivery is a workflow from its first attempt', async () => {
    const receiver = await scriptedReceiver(200);
    const project = await service.createProject();
    const endpoint = await createEndpoint(project, receiver.url);
    try {
      // One that a busy machine leaves waiting for two seconds goes express.
      const id = await eventually(async () => {
        const emitted = await emitOne(service, project, endpoint.id);
        await untilStatus(project, emitted, 'succeeded');
        return (await laneOf(emitted)) === 'workflow' ? emitted : null;
      });
      await expect(workflowOf(service, id).result()).resolves.toMatchObject({ status: 'succeeded' });
    } finally {
      await receiver.close();
    }
  });

  test('what workflow starts leave waiting for two seconds goes express', async () => {
    const receiver = await scriptedReceiver(200);
    const project = await service.createProject();
    const endpoint = await createEndpoint(project, receiver.url);
    // No start ends: as many as a round has room for are in flight.
    const start = jest
      .spyOn(WorkflowClient.prototype, 'start')
      .mockImplementation(() => new Promise((_resolve, reject) => setTimeout(reject, 20_000).unref()));
    try {
      for (let i = 0; i < 40; i += 1) await emitOne(service, project, endpoint.id);
      await eventually(async () => {
        const found = await listDeliveries(project, endpoint.id, '?status=succeeded');
        return found.length > 0;
      });
      const found = await listDeliveries(project, endpoint.id, '?status=succeeded');
      for (const { id } of found) expect(await laneOf(id)).toBe('express');
    } finally {
      start.mockRestore();
      await receiver.close();
    }
  });
});

/** One project with five endpoints, each with forty queued deliveries; returns the endpoints. */
async function fiveEndpoints(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `WITH project AS (INSERT INTO projects (slug, name) VALUES ('one', 'One') RETURNING id),
    endpoint AS (INSERT INTO endpoints (project_id, url, retry_policy)
      SELECT project.id, 'https://example.com', 'durable' FROM project, generate_series(1, 5)
      RETURNING id, project_id),
    event AS (INSERT INTO events (project_id, name, body) SELECT id, 'otp.sent', '{}' FROM project RETURNING id),
    delivery AS (INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy)
      SELECT endpoint.project_id, endpoint.id, event.id, 'otp.sent', 'durable'
      FROM endpoint, event, generate_series(1, 40) RETURNING id, endpoint_id, project_id),
    queued AS (INSERT INTO delivery_queue (delivery_id, endpoint_id, project_id, is_first)
      SELECT id, endpoint_id, project_id, true FROM delivery)
  SELECT id FROM endpoint ORDER BY id`,
  );
  return rows.map(({ id }) => id);
}

describe('the claim', () => {
  let database: TestDatabase;
  let pool: pg.Pool;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = database.pool;
  });
  afterEach(() => database.drop());

  const workflow = (limit: number, defaultLane: LaneSetting = 'workflow', isBehind = false) =>
    claimStarts(pool, { limit, defaultLane, isBehind });
  const express = (limit: number, defaultLane: LaneSetting, isBehind = false) =>
    claimExpress(pool, { limit, defaultLane, isBehind });
  const perEndpoint = (claims: { endpoint_id: string }[], ids: string[]) =>
    ids.map((id) => claims.filter(({ endpoint_id }) => endpoint_id === id).length);

  test('projects take turns, bulk events come last, and no endpoint gets more than its slots', async () => {
    const names = new Map<string, string>();
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
    const [busy, quiet, crowd] = await Promise.all(['busy', 'quiet', 'crowd'].map(projectWithEndpoint));
    const otp = { name: 'otp.sent', data: eventRegistry['otp.sent'].example } as const;
    const emit = (projectId: string) => emitEvent(pool, projectId, otp.name, otp.data);
    await emitEvents(pool, crowd!, Array(5).fill(otp), { bulk: true });
    for (let i = 0; i < 30; i += 1) await emit(busy!);
    for (let i = 0; i < 2; i += 1) await emit(quiet!);

    const order = async (limit: number) =>
      (await workflow(limit)).map(({ project_id }) => names.get(project_id)).sort();
    expect(await order(4)).toEqual(['busy', 'busy', 'quiet', 'quiet']);
    // Eighteen slots are left for the busy one; then the bulk events have their turn.
    expect(await order(16)).toEqual(Array(16).fill('busy'));
    expect(await order(16)).toEqual(['busy', 'busy', ...Array<string>(5).fill('crowd')]);
    expect(await order(16)).toEqual([]);
  });

  test.each(['workflow', 'express'] as const)(
    'an endpoint gets as many as its concurrency allows, in the %s lane',
    async (lane) => {
      const ids = await fiveEndpoints(pool);
      for (const seen of [20, 10, 5, 2]) await adaptConcurrency(pool, ids[0]!, seen, 'halve');
      await adaptConcurrency(pool, ids[1]!, 20, 'halve');
      // A stale observation changes nothing.
      await adaptConcurrency(pool, ids[1]!, 20, 'halve');
      const claims = lane === 'workflow' ? await workflow(200) : await express(200, 'express');
      expect(perEndpoint(claims, ids)).toEqual([1, 10, cap, cap, cap]);
      await adaptConcurrency(pool, ids[0]!, 1, 'double');
      const more = lane === 'workflow' ? await workflow(200) : await express(200, 'express');
      expect(perEndpoint(more, ids)).toEqual([1, 0, 0, 0, 0]);
    },
  );

  test('disabled and deleted endpoints get nothing', async () => {
    const ids = await fiveEndpoints(pool);
    await pool.query(`UPDATE endpoints SET status = 'disabled' WHERE id = $1`, [ids[0]]);
    await pool.query(`UPDATE endpoints SET deleted_at = now() WHERE id = $1`, [ids[1]]);
    expect(perEndpoint(await workflow(200), ids)).toEqual([0, 0, cap, cap, cap]);
  });

  test('each delivery is claimed once, however many relays claim, and slots are never exceeded', async () => {
    const ids = await fiveEndpoints(pool);
    const claims: { id: string; endpoint_id: string }[] = [];
    for (let round = 0; round < 20; round += 1) {
      const some = await Promise.all(Array.from({ length: 5 }, () => workflow(7)));
      claims.push(...some.flat());
    }
    expect(new Set(claims.map(({ id }) => id)).size).toBe(claims.length);
    expect(perEndpoint(claims, ids)).toEqual(ids.map(() => cap));
  });

  test('an endpoint whose row another process holds is skipped, not waited for', async () => {
    const ids = await fiveEndpoints(pool);
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM endpoints WHERE id = $1 FOR NO KEY UPDATE', [ids[0]]);
      expect(perEndpoint(await workflow(200), ids)).toEqual([0, cap, cap, cap, cap]);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
    expect(perEndpoint(await workflow(200), ids)).toEqual([cap, 0, 0, 0, 0]);
  });

  test('an event is emitted while a claim holds its endpoint', async () => {
    await fiveEndpoints(pool);
    const other = await pool.connect();
    try {
      await other.query('BEGIN');
      await other.query('SELECT 1 FROM endpoints FOR NO KEY UPDATE');
      const { rows } = await pool.query<{ id: string }>('SELECT id FROM projects');
      await emitEvent(pool, rows[0]!.id, 'otp.sent', eventRegistry['otp.sent'].example);
    } finally {
      await other.query('ROLLBACK');
      other.release();
    }
  });

  test('a requested attempt comes first, also behind a long queue', async () => {
    await fiveEndpoints(pool);
    const { rows } = await pool.query<{ id: string }>(
      'SELECT delivery_id AS id FROM delivery_queue ORDER BY due_at DESC, delivery_id LIMIT 1',
    );
    await requestRetries(pool, [rows[0]!.id], randomUUID());
    expect(await workflow(1)).toMatchObject([{ id: rows[0]!.id, known: true }]);
  });

  test('in the auto lane what has waited for two seconds is attempted directly while starts do not keep up', async () => {
    const ids = await fiveEndpoints(pool);
    const age = (endpoint: string, seconds: number) =>
      pool.query(
        'UPDATE delivery_queue SET due_at = now() - make_interval(secs => $2) WHERE endpoint_id = $1',
        [endpoint, seconds],
      );
    await age(ids[0]!, 3);
    // A minute ahead: a pause of the test makes none of them old.
    for (const young of ids.slice(1)) await age(young, -60);
    expect(perEndpoint(await express(200, 'auto'), ids)).toEqual([0, 0, 0, 0, 0]);
    expect(perEndpoint(await express(200, 'auto', true), ids)).toEqual([cap, 0, 0, 0, 0]);
    await pool.query(
      `UPDATE delivery_queue SET holder = NULL, lease_until = NULL, claimed_at = NULL
      WHERE delivery_id = (SELECT delivery_id FROM delivery_queue WHERE endpoint_id = $1 AND holder IS NOT NULL LIMIT 1)`,
      [ids[0]],
    );
    expect(perEndpoint(await workflow(200, 'auto', true), ids)).toEqual([0, cap, cap, cap, cap]);
    expect(perEndpoint(await workflow(200, 'auto'), ids)).toEqual([1, 0, 0, 0, 0]);
    const counted = async (column: string, table: string) => {
      const { rows } = await pool.query(
        `SELECT ${column} AS value, count(*) FROM ${table} GROUP BY 1 ORDER BY 1`,
      );
      return rows;
    };
    expect(await counted('holder', 'delivery_queue')).toEqual([
      { value: 'express', count: cap - 1 },
      { value: 'relay', count: 4 * cap + 1 },
      { value: null, count: 100 },
    ]);
    // The express lane writes itself into the delivery with the result of its attempt.
    expect(await counted('lane', 'deliveries')).toEqual([
      { value: 'workflow', count: 4 * cap + 1 },
      { value: null, count: 99 + cap },
    ]);
  });

  test('an endpoint chooses its lane, whatever the default is', async () => {
    const ids = await fiveEndpoints(pool);
    await pool.query(`UPDATE endpoints SET delivery_lane = 'workflow' WHERE id = $1`, [ids[0]]);
    expect(perEndpoint(await workflow(200, 'express'), ids)).toEqual([cap, 0, 0, 0, 0]);
    expect(perEndpoint(await express(200, 'express'), ids)).toEqual([0, cap, cap, cap, cap]);
  });

  test('what waits for its own receiver is not lag', async () => {
    const ids = await fiveEndpoints(pool);
    await pool.query(`UPDATE delivery_queue SET due_at = now() - interval '100 seconds'`);
    await pool.query(`UPDATE endpoints SET updated_at = now() - interval '1 hour'`);
    expect(await claimableLag(pool)).toBeGreaterThan(99);
    // The overview of a project tells it of each endpoint.
    const waiting = await waitingSeconds(pool, ids);
    expect([...waiting.keys()].sort()).toEqual([...ids].sort());
    expect(Math.min(...waiting.values())).toBeGreaterThan(98);
    await express(200, 'express');
    // Every slot is taken; what is left waits for the receivers.
    expect(await claimableLag(pool)).toBe(0);
    expect((await waitingSeconds(pool, ids)).size).toBe(0);
    await pool.query(
      `UPDATE delivery_queue SET claimed_at = now() - interval '5 seconds' WHERE holder IS NOT NULL`,
    );
    // A slot is free again. Until five seconds ago the deliveries waited for the receiver.
    await pool.query(
      `DELETE FROM delivery_queue WHERE delivery_id =
         (SELECT delivery_id FROM delivery_queue WHERE endpoint_id = $1 AND holder IS NOT NULL LIMIT 1)`,
      [ids[0]],
    );
    expect(await claimableLag(pool)).toBeLessThan(50);
  });

  test('a delivery that is cancelled while a relay that dies starts it leaves the queue', async () => {
    await fiveEndpoints(pool);
    const [claimed] = await workflow(1);
    await cancelDelivery(pool, claimed!.id);
    await pool.query(
      `UPDATE delivery_queue SET lease_until = now() - interval '1 second' WHERE holder = 'relay'`,
    );
    expect(await endExpiredLeases(pool, 10)).toEqual([]);
    const { rows } = await pool.query('SELECT 1 FROM delivery_queue WHERE delivery_id = $1', [claimed!.id]);
    expect(rows).toEqual([]);
  });

  test('a delivery whose express attempt has failed gets its workflow without a slot, also from a full endpoint', async () => {
    await fiveEndpoints(pool);
    await workflow(200);
    const { rows } = await pool.query<{ id: string; next_attempt_at: Date }>(
      `UPDATE deliveries SET lane = 'express', attempts = 1, next_attempt_at = now() + interval '1 minute',
         last_error = 'timeout'
       WHERE id = (SELECT delivery_id FROM delivery_queue WHERE holder IS NULL LIMIT 1) RETURNING id, next_attempt_at`,
    );
    const { id, next_attempt_at } = rows[0]!;
    await pool.query(
      'UPDATE delivery_queue SET needs_slot = false, is_first = false WHERE delivery_id = $1',
      [id],
    );
    const after_express = { nextAttemptAt: next_attempt_at.getTime(), httpStatus: null, error: 'timeout' };
    expect(await claimSlotless(pool, 10)).toMatchObject([{ id, after_express }]);
    expect(await claimSlotless(pool, 10)).toEqual([]);
  });
});
