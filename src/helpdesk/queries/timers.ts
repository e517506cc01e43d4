import { notifyAfterCommit, notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import { dueInTurns } from '../../db/wake-ups';
import type { TicketStatus } from '../contract';

/** `ticket.unanswered_24h` was emitted for this stretch. The caller holds the row's lock. */
export function recordUnanswered(db: Db, id: string): Promise<number> {
  return change(
    db,
    'record_ticket_unanswered',
    'UPDATE tickets SET unanswered_reported = true WHERE id = $1',
    [id],
  );
}

/** When the workflow has something to do next. The relay makes sure, a little later, that there is one. */
export function recordNext(db: Db, id: string, at: Date | null): Promise<number> {
  return change(
    db,
    'record_ticket_next',
    `UPDATE tickets SET next_at = $2,
       wake_at = CASE WHEN wake_at <= clock_timestamp() THEN wake_at ELSE $2::timestamptz + interval '2 minutes' END
     WHERE id = $1`,
    [id, at],
  );
}

export interface DueTicket {
  id: string;
  project_id: string;
  slug: string;
  revision: number;
  status: TicketStatus;
  next_at: Date | null;
}

/** Claims, for the relay, tickets whose workflow must be started or must read its row. Projects take turns. */
export function claimTicketWakeUps(db: Db, limit: number): Promise<DueTicket[]> {
  return rows<DueTicket>(
    db,
    'claim_ticket_wake_ups',
    `WITH RECURSIVE ${dueInTurns('tickets')}
     UPDATE tickets t SET wake_at = clock_timestamp() + interval '10 seconds'
     FROM chosen, projects p WHERE t.id = chosen.id AND p.id = t.project_id
     RETURNING t.id, t.project_id, p.slug, t.revision, t.status, t.next_at`,
    [limit],
  );
}

/** The workflow was woken. One that is overdue is checked again; a request since the claim is not lost. */
export function markTicketWoken(db: Db, { id, revision }: DueTicket): Promise<number> {
  return change(
    db,
    'mark_ticket_woken',
    `UPDATE tickets SET wake_at = CASE WHEN next_at IS NOT NULL
         THEN greatest(next_at, clock_timestamp()) + interval '2 minutes' END
     WHERE id = $1 AND revision = $2`,
    [id, revision],
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
  const woken = await change(
    db,
    'wake_ticket_for_rating',
    `UPDATE tickets SET revision = revision + 1, wake_at = clock_timestamp() WHERE id = $1 AND csat = 'wanted'`,
    [id],
  );
  if (woken > 0) notifyAfterCommit(db, notifyChannels.tickets);
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
