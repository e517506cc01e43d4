import { AppError } from '../../base/contract/errors';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import type { Db } from '../../base/db/pool';
import { uuidv7 } from '../../base/lib/uuid';
import { findMember } from '../projects';
import type { TicketActor, TicketChanges, TicketStatus } from './contract';
import { ticketEvents } from './emit';
import { insertTicketMessage } from './queries/messages';
import { findSettings, findType, type TicketTypeRow } from './queries/settings';
import { findTicket, updateTicket, type TicketRow } from './queries/tickets';

/** Who changes a ticket. */
export interface Author {
  by: TicketActor;
  memberId: string | null;
}

export const byCustomer: Author = { by: 'customer', memberId: null };
export const bySystem: Author = { by: 'system', memberId: null };

/** A caller of the API: a member who has signed in, or a key. */
export function authorOf({ member_id }: { member_id: string | null }): Author {
  return { by: member_id === null ? 'api' : 'member', memberId: member_id };
}

export async function requireMember(db: Db, projectId: string, memberId: string | null): Promise<void> {
  if (memberId === null || (await findMember(db, projectId, memberId))) return;
  throw new AppError('not_found', 'assignee_id: there is no member with this id');
}

export async function requireType(db: Db, projectId: string, typeId: string): Promise<TicketTypeRow> {
  const type = await findType(db, projectId, typeId);
  if (!type) throw new AppError('not_found', 'type_id: there is no type with this id');
  return type;
}

/** The ticket with another status, and what goes with it. */
export async function withStatus(db: Db, ticket: TicketRow, status: TicketStatus): Promise<TicketRow> {
  if (status === ticket.status) return ticket;
  const changed = { ...ticket, status, status_since: ticket.now };
  if (status !== 'closed') {
    return { ...changed, closed_at: null, csat: ticket.csat === 'wanted' ? null : ticket.csat };
  }
  const { csat } = await findSettings(db, ticket.project_id);
  const isAsked =
    csat && ticket.first_reply_at !== null && ticket.subscriber_id !== null && ticket.csat_score === null;
  return {
    ...changed,
    closed_at: ticket.now,
    csat: isAsked ? 'wanted' : ticket.csat,
    waiting_since: null,
    unanswered_reported: false,
  };
}

/** Adds a change to the timeline, which no message there tells of. */
export async function recordChange(
  db: Db,
  { id: ticketId }: TicketRow,
  change: { field: 'status' | 'assignee_id'; before: string | null; after: string | null },
  { memberId }: Author,
): Promise<void> {
  const text = `${change.field}: ${change.before ?? 'none'} → ${change.after ?? 'none'}`;
  await insertTicketMessage(db, {
    id: uuidv7(),
    ticketId,
    sender: 'system',
    internal: true,
    text,
    change,
    memberId,
  });
}

/**
 * Changes a ticket that the caller has locked, in one transaction with its events. A type sets priority and assignee, unless
 * they are given; assigning takes a new ticket up.
 */
export async function changeTicket(
  db: Db,
  ticket: TicketRow,
  changes: TicketChanges,
  author: Author,
  format: SubscriberIdFormat,
): Promise<TicketRow> {
  const type =
    changes.type_id && changes.type_id !== ticket.type_id
      ? await requireType(db, ticket.project_id, changes.type_id)
      : null;
  if (changes.assignee_id !== undefined) await requireMember(db, ticket.project_id, changes.assignee_id);
  const assignee = changes.assignee_id === undefined ? type?.assignee_id : changes.assignee_id;
  const changed: TicketRow = {
    ...ticket,
    subject: changes.subject === undefined ? ticket.subject : changes.subject,
    type_id: changes.type_id === undefined ? ticket.type_id : changes.type_id,
    priority: changes.priority ?? type?.priority ?? ticket.priority,
    // A type without an assignee leaves the one who has it.
    assignee_id:
      assignee === undefined || (assignee === null && changes.assignee_id === undefined)
        ? ticket.assignee_id
        : assignee,
  };
  const isAssigned = changed.assignee_id !== ticket.assignee_id;
  const isTakenUp = isAssigned && changed.assignee_id !== null && ticket.status === 'new';
  const after = await withStatus(db, changed, changes.status ?? (isTakenUp ? 'in_progress' : ticket.status));
  if (JSON.stringify(after) === JSON.stringify(ticket)) return ticket;
  await updateTicket(db, after);
  const events = ticketEvents(db, format);
  if (isAssigned) {
    const change = { field: 'assignee_id', before: ticket.assignee_id, after: after.assignee_id } as const;
    await recordChange(db, ticket, change, author);
    await events.assigned(after, ticket.assignee_id);
  }
  if (after.status !== ticket.status) {
    if (changes.status !== undefined) {
      const change = { field: 'status', before: ticket.status, after: after.status } as const;
      await recordChange(db, ticket, change, author);
    }
    await events.statusChanged(after, ticket.status, author.by);
  }
  return (await findTicket(db, ticket.project_id, ticket.id)) ?? after;
}
