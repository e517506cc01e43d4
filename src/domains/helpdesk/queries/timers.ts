import { scheduleBy, type DueRow } from '../../../base/agenda';
import type { Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';
import type { TicketStatus } from '../contract';

/** The kind of the agenda: a workflow for each ticket that has something due. */
export const TICKET = 'ticket';

/** Has the agenda start or wake the workflow of each, at its time or now. */
export function scheduleTickets(db: Db, tickets: readonly DueRow[]): Promise<void> {
  return scheduleBy(db, TICKET, tickets);
}

/** `ticket.unanswered_24h` was emitted for this stretch. The caller holds the row's lock. */
export function recordUnanswered(db: Db, id: string): Promise<number> {
  return change(
    db,
    'record_ticket_unanswered',
    'UPDATE tickets SET unanswered_reported = true WHERE id = $1',
    [id],
  );
}

/** What the start of a ticket's workflow needs. */
export function findTicketStart(
  db: Db,
  id: string,
): Promise<{ status: TicketStatus; summary: string } | null> {
  return row(
    db,
    'find_ticket_start',
    `SELECT t.status, 'ticket of ' || p.slug AS summary FROM tickets t JOIN projects p ON p.id = t.project_id WHERE t.id = $1`,
    [id],
  );
}

/**
 * When to look again, if a rating is wanted and a reply is still being sent: the question comes after the answer. Null if
 * nothing is being sent.
 */
export async function replyUnderWay(db: Db, id: string): Promise<Date | null> {
  const found = await row<{ at: Date }>(
    db,
    'find_ticket_reply_under_way',
    `SELECT clock_timestamp() + interval '30 seconds' AS at FROM tickets t WHERE t.id = $1 AND t.csat = 'wanted'
       AND EXISTS (SELECT 1 FROM messages m WHERE m.source_id = t.id AND m.status IN ('queued', 'sending'))`,
    [id],
  );
  return found?.at ?? null;
}

/** A reply has its result: a rating that waited for it can be asked for. */
export async function wakeForRating(db: Db, id: string): Promise<void> {
  const waiting = await row<{ project_id: string }>(
    db,
    'lock_ticket_for_rating',
    `SELECT project_id FROM tickets WHERE id = $1 AND csat = 'wanted' FOR NO KEY UPDATE`,
    [id],
  );
  if (waiting) await scheduleTickets(db, [{ id, ...waiting }]);
}

export interface RatedTicket {
  id: string;
  project_id: string;
  number: number;
  subscriber_id: string | null;
  closed_at: Date;
  now: Date;
}

/** Null if no rating is wanted, or another process asks for it. It can be given from now on: a tap may come before `endRating`. */
export function claimRating(db: Db, id: string): Promise<RatedTicket | null> {
  return row<RatedTicket>(
    db,
    'claim_ticket_rating',
    `UPDATE tickets SET csat = 'asking', csat_asked_at = clock_timestamp() WHERE id = $1 AND csat = 'wanted' AND status = 'closed'
     RETURNING id, project_id, number, subscriber_id, closed_at, clock_timestamp() AS now`,
    [id],
  );
}

/** The messenger has certainly not taken the question. */
export function releaseRating(db: Db, id: string): Promise<number> {
  return change(
    db,
    'release_ticket_rating',
    `UPDATE tickets SET csat = 'wanted' WHERE id = $1 AND csat = 'asking'`,
    [id],
  );
}

export function endRating(db: Db, id: string, { asked = false } = {}): Promise<number> {
  return change(
    db,
    'end_ticket_rating',
    `UPDATE tickets SET csat = CASE WHEN $2 THEN 'asked' END WHERE id = $1 AND csat = 'asking'`,
    [id, asked],
  );
}
