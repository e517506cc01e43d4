import { BATCH_ROWS } from '../../db/batches';
import { noteChange } from '../../db/changes';
import { notifyAfterCommit, notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';

/** What a change means for many tickets, or messages of tickets. */
export interface TicketSweep {
  kind: 'type' | 'assignee' | 'author' | 'waiting';
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
 * The time after which waiting tickets are closed has changed. Each is woken when it is to be closed, not all at once; one that
 * is to be closed later than before finds that when it wakes. The sweep's row tells how far it is, newest first.
 */
async function wakeNextWaiting(db: Db, projectId: string): Promise<number> {
  const page = await row<{ woken: number }>(
    db,
    'wake_next_waiting_tickets',
    `WITH sweep AS MATERIALIZED (
       SELECT s.id, s.after_at, s.after_id, h.auto_close_days FROM ticket_sweeps s JOIN helpdesks h ON h.project_id = s.id
       WHERE s.kind = 'waiting' AND s.id = $1 AND h.auto_close_days IS NOT NULL FOR NO KEY UPDATE OF s),
     page AS MATERIALIZED (
       SELECT t.id, t.created_at, sweep.auto_close_days FROM sweep, tickets t
       WHERE t.project_id = $1 AND t.status = 'waiting' AND (t.created_at, t.id) < (sweep.after_at, sweep.after_id)
       ORDER BY t.created_at DESC, t.id DESC LIMIT ${BATCH_ROWS}),
     woken AS (
       UPDATE tickets t SET revision = t.revision + 1,
         wake_at = least(t.wake_at, t.status_since + make_interval(days => page.auto_close_days))
       FROM page WHERE t.id = page.id),
     moved AS (
       UPDATE ticket_sweeps s SET after_at = last.created_at, after_id = last.id
       FROM (SELECT created_at, id FROM page ORDER BY created_at, id LIMIT 1) AS last
       WHERE s.kind = 'waiting' AND s.id = $1)
     SELECT count(*)::int AS woken FROM page`,
    [projectId],
  );
  const woken = page?.woken ?? 0;
  if (woken > 0) notifyAfterCommit(db, notifyChannels.tickets);
  return woken;
}

/** Much longer than a batch takes. */
const LEASE = "clock_timestamp() + interval '30 seconds'";
/** Longer than a transaction can take that has read the type, or the member, before it was removed. */
const LAST_AFTER = "interval '1 minute'";

/** From the beginning, if there is one already. */
export function insertSweep(db: Db, { kind, id, project_id }: TicketSweep): Promise<number> {
  return change(
    db,
    'insert_ticket_sweep',
    `INSERT INTO ticket_sweeps (kind, id, project_id) VALUES ($1, $2, $3)
     ON CONFLICT (kind, id) DO UPDATE SET after_at = 'infinity', due_at = now(), created_at = now()`,
    [kind, id, project_id],
  );
}

/** Claims, for the relay, sweeps that are due, or whose process has died. */
export function claimSweeps(db: Db, limit: number): Promise<TicketSweep[]> {
  return rows<TicketSweep>(
    db,
    'claim_ticket_sweeps',
    `UPDATE ticket_sweeps s SET due_at = ${LEASE}
     FROM (SELECT kind, id FROM ticket_sweeps WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED) due
     WHERE (s.kind, s.id) = (due.kind, due.id) RETURNING s.kind, s.id, s.project_id`,
    [limit],
  );
}

/** Locks the sweep's row. Returns 0 if the sweep has ended. */
export function renewSweep(db: Db, { kind, id }: TicketSweep): Promise<number> {
  return change(
    db,
    'renew_ticket_sweep',
    `UPDATE ticket_sweeps SET due_at = ${LEASE} WHERE kind = $1 AND id = $2`,
    [kind, id],
  );
}

/** Nothing is left for now. Ends the sweep, unless rows that refer to what was removed can still be committed. */
export async function settleSweep(db: Db, { kind, id }: TicketSweep): Promise<void> {
  const ended = await change(
    db,
    'end_ticket_sweep',
    `DELETE FROM ticket_sweeps WHERE kind = $1 AND id = $2
       AND (kind = 'waiting' OR created_at < clock_timestamp() - ${LAST_AFTER})`,
    [kind, id],
  );
  if (ended > 0) return;
  await change(
    db,
    'postpone_ticket_sweep',
    `UPDATE ticket_sweeps SET due_at = created_at + ${LAST_AFTER} WHERE kind = $1 AND id = $2`,
    [kind, id],
  );
}
