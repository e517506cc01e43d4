import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { startAgenda, type Agenda, type Kind, type Next } from '../../../src/base/agenda';
import { createNotifications, type Notifications } from '../../../src/base/db/notify';
import { createPool } from '../../../src/base/db/pool';
import { createTestDatabase, patient, type TestDatabase } from '../../support/database';

export interface AgendaFixture {
  database: TestDatabase;
  /** A relay with connections of its own, as another process has. */
  start(...kinds: Kind[]): Agenda;
  entries(kind: string): Promise<{ id: string; is_due: boolean; is_leased: boolean }[]>;
  /** As if the lease of a dead process had ended. */
  endLeases(kind: string): Promise<unknown>;
  /** Stops what the test has started. */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function agendaFixture(): Promise<AgendaFixture> {
  const database = await createTestDatabase();
  const log = pino({ level: 'silent' });
  let running: { agenda: Agenda; notifications: Notifications; pool: ReturnType<typeof createPool> }[] = [];
  const reset = async () => {
    for (const { agenda, notifications, pool } of running) {
      await agenda.stop();
      await notifications.stop();
      await pool.end();
    }
    running = [];
  };
  return {
    database,
    start(...kinds) {
      const pool = createPool({ url: database.url, max: 20 });
      patient(pool);
      const notifications = createNotifications({ url: database.url });
      const agenda = startAgenda({ pool, notifications, log }, kinds);
      running.push({ agenda, notifications, pool });
      return agenda;
    },
    async entries(kind) {
      const { rows } = await database.pool.query<{ id: string; is_due: boolean; is_leased: boolean }>(
        `SELECT id, due_at <= clock_timestamp() AS is_due, coalesce(leased_until > clock_timestamp(), false) AS is_leased
         FROM agenda WHERE kind = $1 ORDER BY id`,
        [kind],
      );
      return rows;
    },
    endLeases: (kind) =>
      database.pool.query('UPDATE agenda SET leased_until = clock_timestamp() WHERE kind = $1', [kind]),
    reset,
    async stop() {
      await reset();
      await database.drop();
    },
  };
}

/** Each test has kinds with names of its own, because all share the table. */
export const newKind = (advance: Kind['advance'], more: Partial<Kind> = {}): Kind => ({
  name: `test-${randomUUID()}`,
  concurrency: 16,
  perProject: 8,
  advance,
  ...more,
});

export const rowOf = (project_id: string = randomUUID()) => ({ id: randomUUID(), project_id });

/** Work that a test ends, with a result. */
export function heldWork() {
  const calls: { id: string; project_id: string; end: (next: Next) => void }[] = [];
  let isHeld = true;
  const advance: Kind['advance'] = ({ id, project_id }) =>
    new Promise((resolve) => {
      calls.push({ id, project_id, end: resolve });
      if (!isHeld) resolve(null);
    });
  return {
    calls,
    advance,
    /** Ends the work in flight; later work ends at once. */
    endAll() {
      isHeld = false;
      for (const { end } of calls) end(null);
    },
  };
}
