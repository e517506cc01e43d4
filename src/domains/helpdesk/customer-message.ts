import { DAY_MS } from '../../base/contract/durations';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import type { Db } from '../../base/db/pool';
import { uuidv7 } from '../../base/lib/uuid';
import { byCustomer, recordChange, withStatus } from './change';
import { ticketEvents } from './emit';
import { insertTicketMessage, type Attachment } from './queries/messages';
import { findSettings } from './queries/settings';
import { updateTicket, type TicketRow } from './queries/tickets';
import { presentAttachment, previewOf } from './ticket';

/** Whether a message of the customer goes on in the ticket: it is open, or was closed not too long ago. */
export async function takesMessages(db: Db, ticket: TicketRow): Promise<boolean> {
  if (ticket.closed_at === null) return true;
  const { reopen_days: days } = await findSettings(db, ticket.project_id);
  return days !== null && ticket.now.getTime() - ticket.closed_at.getTime() <= days * DAY_MS;
}

export interface CustomerMessage {
  id?: string;
  text: string;
  attachments?: Attachment[];
  updateId?: number;
  chatMessageId?: string;
}

/**
 * Adds a message of the customer to a ticket that the caller has locked. A ticket that waited for it, or was closed, is in
 * progress again. Returns the ticket as it is then; null if the update was handled before.
 */
export async function addCustomerMessage(
  db: Db,
  ticket: TicketRow,
  { id = uuidv7(), text, attachments = [], updateId, chatMessageId }: CustomerMessage,
  format: SubscriberIdFormat,
): Promise<TicketRow | null> {
  const isNew = await insertTicketMessage(db, {
    id,
    ticketId: ticket.id,
    sender: 'customer',
    text,
    attachments,
    updateId: updateId ?? null,
    chatMessageId: chatMessageId ?? null,
  });
  if (!isNew) return null;
  const isTakenUp = ticket.status === 'waiting' || ticket.status === 'closed';
  const after = {
    ...(await withStatus(db, ticket, isTakenUp ? 'in_progress' : ticket.status)),
    preview: previewOf(text, attachments),
    // A stretch without an answer begins with its first message.
    ...(ticket.waiting_since === null && { waiting_since: ticket.now, unanswered_reported: false }),
  };
  await updateTicket(db, after);
  const events = ticketEvents(db, format);
  const message = { id, from: 'customer', memberId: null, text } as const;
  await events.replied(after, { ...message, attachments: attachments.map(presentAttachment) });
  if (after.status !== ticket.status) {
    if (ticket.status === 'closed') {
      const change = { field: 'status', before: ticket.status, after: after.status } as const;
      await recordChange(db, ticket, change, byCustomer);
    }
    await events.statusChanged(after, ticket.status, 'customer');
  }
  return after;
}
