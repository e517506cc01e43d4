import type { Db } from '../../db/pool';
import { change, rows } from '../../db/query';

/** Open sessions marked as having a workflow. The relay starts the others. */
export async function startedOpenSessions(db: Db): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'started_open_sessions',
    `SELECT id FROM auth_sessions
     WHERE status IN ('pending', 'confirmed') AND workflow_started_at IS NOT NULL ORDER BY expires_at`,
  );
  return found.map(({ id }) => id);
}

/** Wakes every open scheduled message: the relay starts a workflow for each that has none. Returns how many. */
export function wakeScheduled(db: Db): Promise<number> {
  return change(
    db,
    'wake_scheduled',
    `UPDATE scheduled SET wake_at = clock_timestamp() WHERE ended_at IS NULL AND job_id IS NULL`,
  );
}

/** Wakes every active enrolment that is not parked: the relay starts a workflow for each that has none. Returns how many. */
export function wakeEnrolments(db: Db): Promise<number> {
  return change(
    db,
    'wake_drip_enrolments',
    `UPDATE drip_enrolments SET wake_at = clock_timestamp() WHERE ended_at IS NULL AND NOT parked`,
  );
}

/** Wakes every recurring message that has something to wait for: the relay starts a workflow for each that has none. */
export function wakeRecurring(db: Db): Promise<number> {
  return change(
    db,
    'wake_recurring',
    `UPDATE recurring SET wake_at = clock_timestamp() WHERE next_at IS NOT NULL`,
  );
}

/** Pending deliveries that should have a workflow. The others are queued for the relay or in the express lane. */
export async function startedOpenDeliveries(db: Db): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'started_open_deliveries',
    `SELECT d.id FROM deliveries d WHERE d.status = 'pending'
       AND NOT EXISTS (SELECT 1 FROM delivery_queue q WHERE q.delivery_id = d.id) ORDER BY d.overdue_at`,
  );
  return found.map(({ id }) => id);
}
