import { formatSubscriberId, type SubscriberIdFormat } from '../../base/contract/ids';
import { isoTime, isoTimeOrNull } from '../../base/lib/iso-time';
import type { AttachmentView, TicketMessageView, TicketView } from './contract';
import type { Attachment, TicketMessageRow } from './queries/messages';
import type { TicketRow } from './queries/tickets';

const PREVIEW_LENGTH = 140;

/** The beginning of a message, on one line. */
export function previewOf(text: string, attachments: readonly AttachmentView[] = []): string {
  const line = text.replaceAll(/\s+/g, ' ').trim() || (attachments[0]?.name ?? '');
  const characters = [...line];
  return characters.length > PREVIEW_LENGTH ? `${characters.slice(0, PREVIEW_LENGTH).join('')}…` : line;
}

/** Who wrote it: all null for a virtual customer and for one who was removed. */
export function whoOf(ticket: TicketRow, format: SubscriberIdFormat) {
  const { subscriber_id, channel, external_id } = ticket;
  return {
    subscriber_id: subscriber_id === null ? null : formatSubscriberId(subscriber_id, format),
    channel,
    external_id,
  };
}

export function presentTicket(ticket: TicketRow, format: SubscriberIdFormat): TicketView {
  return {
    ticket_id: ticket.id,
    number: ticket.number,
    subject: ticket.subject,
    preview: ticket.preview,
    status: ticket.status,
    priority: ticket.priority,
    type_id: ticket.type_id,
    source: ticket.source,
    ...whoOf(ticket, format),
    customer: ticket.virtual ? { name: ticket.customer_name, contact: ticket.customer_contact } : null,
    assignee_id: ticket.assignee_id,
    waiting_since: isoTimeOrNull(ticket.waiting_since),
    first_reply_at: isoTimeOrNull(ticket.first_reply_at),
    first_reply_due_at: isoTimeOrNull(ticket.first_reply_due_at),
    resolve_due_at: isoTimeOrNull(ticket.resolve_due_at),
    overdue: ticket.overdue,
    csat_score: ticket.csat_score,
    created_at: isoTime(ticket.created_at),
    updated_at: isoTime(ticket.updated_at),
    closed_at: isoTimeOrNull(ticket.closed_at),
  };
}

/** Without the messenger's reference, with which the file could be had. */
export function presentAttachment({ attachment_id, type, name, mime, bytes }: Attachment): AttachmentView {
  return { attachment_id, type, name, mime, bytes };
}

export function presentTicketMessage(message: TicketMessageRow): TicketMessageView {
  return {
    message_id: message.id,
    from: message.sender,
    internal: message.internal,
    text: message.text,
    attachments: message.attachments.map(presentAttachment),
    change: message.change,
    member_id: message.member_id,
    delivery: message.delivery,
    created_at: isoTime(message.created_at),
  };
}
