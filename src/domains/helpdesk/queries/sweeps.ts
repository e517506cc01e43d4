import { BATCH_ROWS } from '../../../base/db/batches';
import { noteChange } from '../../../base/db/changes';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { scheduleTickets } from './timers';

export const sweepKinds = ['type', 'assignee', 'author', 'waiting'] as const;

/** A change that concerns many tickets, or messages of tickets. */
export interface TicketSweep {
  kind: (typeof sweepKinds)[number];
  /** The type or the member that was removed, or the project whose waiting tickets are to be woken. */
  id: string;
  project_id: string;
}

/** No foreign keys: each would change all its rows in the statement that removes the type or the member. */
const references = {
  type: { table: 'tickets', column: 'type_id' },
  assignee: { table: 'tickets', column: 'assignee_id' },
  author: { table: 'ticket_messages', column: 'member_id' },
} as const;

/** Changes the next thousand rows. Returns how many there were: a few less where others have changed some of them meanwhile. */
export async function sweepNext(db: Db, sweep: TicketSweep): Promise<number> {
  if (sweep.kind === 'waiting') return wakeNextWaiting(db, sweep.project_id);
  const { table, column } = references[sweep.kind];
  const changed = await change(
    db,
    `sweep_ticket_${sweep.kind}`,
    `UPDATE ${table} SET ${column} = NULL
     WHERE ${column} = $1 AND id = ANY (ARRAY(SELECT id FROM ${table} WHERE ${column} = $1 LIMIT ${BATCH_ROWS}))`,
    [sweep.id],
  );
  if (changed > 0) noteChange(db, 'tickets', sweep.project_id);
  return changed;
}

/**
 * Applies a change of the time after which waiting tickets are closed, newest tickets first; the sweep's row holds the progress.
 * Each ticket is due when it is to be closed, not all at once; one that is to be closed later than before reads that when it is
 * due. The tickets are locked, so that a workflow that has read the old time cannot write it after this.
 */
async function wakeNextWaiting(db: Db, projectId: string): Promise<number> {
  const page = await rows<{ id: string; project_id: string; at: Date }>(
    db,
    'find_next_waiting_tickets',
    `WITH sweep AS MATERIALIZED (
       SELECT s.id, s.after_at, s.after_id, h.auto_close_days FROM ticket_sweeps s JOIN helpdesks h ON h.project_id = s.id
       WHERE s.kind = 'waiting' AND s.id = $1 AND h.auto_close_days IS NOT NULL FOR NO KEY UPDATE OF s),
     page AS MATERIALIZED (
       SELECT t.id, t.project_id, t.created_at, t.status_since + make_interval(days => sweep.auto_close_days) AS at
       FROM sweep, tickets t
       WHERE t.project_id = $1 AND t.status = 'waiting' AND (t.created_at, t.id) < (sweep.after_at, sweep.after_id)
       ORDER BY t.created_at DESC, t.id DESC LIMIT ${BATCH_ROWS} FOR NO KEY UPDATE OF t),
     moved AS (
       UPDATE ticket_sweeps s SET after_at = last.created_at, after_id = last.id
       FROM (SELECT created_at, id FROM page ORDER BY created_at, id LIMIT 1) AS last
       WHERE s.kind = 'waiting' AND s.id = $1)
     SELECT id, project_id, at FROM page`,
    [projectId],
  );
  await scheduleTickets(db, page);
  return page.length;
}

/** Starts an existing sweep again from the beginning. */
export function insertSweep(db: Db, { kind, id, project_id }: TicketSweep): Promise<number> {
  return change(
    db,
    'insert_ticket_sweep',
    `INSERT INTO ticket_sweeps (kind, id, project_id) VALUES ($1, $2, $3)
     ON CONFLICT (kind, id) DO UPDATE SET after_at = 'infinity', created_at = now()`,
    [kind, id, project_id],
  );
}

/** Longer than a transaction can take that has read the type, or the member, before it was removed. */
const LAST_AFTER = "interval '1 minute'";

/** When the sweep may end: until then rows with the removed reference can still be committed. Null: it has ended. */
export async function lockSweep(
  db: Db,
  { kind, id }: TicketSweep,
): Promise<{ ends_at: Date; isOver: boolean } | null> {
  return row<{ ends_at: Date; isOver: boolean }>(
    db,
    'lock_ticket_sweep',
    `SELECT created_at + ${LAST_AFTER} AS ends_at, kind = 'waiting' OR created_at + ${LAST_AFTER} < clock_timestamp() AS "isOver"
     FROM ticket_sweeps WHERE kind = $1 AND id = $2 FOR UPDATE`,
    [kind, id],
  );
}

export function deleteSweep(db: Db, { kind, id }: TicketSweep): Promise<number> {
  return change(db, 'delete_ticket_sweep', 'DELETE FROM ticket_sweeps WHERE kind = $1 AND id = $2', [
    kind,
    id,
  ]);
}
