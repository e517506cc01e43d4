import { AppError } from '../../base/contract/errors';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import type { Db } from '../../base/db/pool';
import { uuidv7 } from '../../base/lib/uuid';
import type { SubscriberRecord } from '../subscribers';
import { changeTicket, requireMember, requireType, type Author } from './change';
import type { TicketPriority, TicketSource } from './contract';
import { ticketEvents } from './emit';
import { insertTicketMessage, type Attachment } from './queries/messages';
import { takeNumber } from './queries/settings';
import { findTicket, insertTicket, type TicketRow } from './queries/tickets';
import { previewOf } from './ticket';
import { searchedWords } from './words';

export interface TicketToCreate {
  /** Of the request that creates it. Default: a new one. */
  id?: string;
  projectId: string;
  source: TicketSource;
  /** Who has written: a subscriber, or a virtual customer. */
  customer: SubscriberRecord | { name: string | null; contact: string | null };
  text: string;
  attachments?: Attachment[];
  subject?: string | null | undefined;
  typeId?: string | null | undefined;
  /** Default: that of the type. */
  priority?: TicketPriority | undefined;
  assigneeId?: string | null | undefined;
  author: Author;
  /** Of a message in the bot: the update, and the message's id in the chat. */
  updateId?: number;
  chatMessageId?: string;
}

/**
 * Creates a ticket with its first message, in the transaction of the caller, who holds the subscriber's lock if there is
 * one. Throws `conflict` while the helpdesk is off, `not_found` for an unknown type or member.
 */
export async function createTicket(
  db: Db,
  request: TicketToCreate,
  format: SubscriberIdFormat,
): Promise<TicketRow> {
  const { projectId, text, attachments = [], customer, author } = request;
  const id = request.id ?? uuidv7();
  const type = request.typeId ? await requireType(db, projectId, request.typeId) : null;
  await requireMember(db, projectId, request.assigneeId ?? null);
  const settings = await takeNumber(db, projectId);
  if (!settings) throw new AppError('conflict', 'The helpdesk is off. Enable it with PATCH /v1/helpdesk.');
  const subscriber = 'platform_user_id' in customer ? customer : null;
  const searched = subscriber
    ? [subscriber.first_name, subscriber.username, subscriber.external_id]
    : 'contact' in customer
      ? [customer.name, customer.contact]
      : [];
  await insertTicket(db, {
    id,
    projectId,
    number: settings.number,
    subject: request.subject ?? null,
    preview: previewOf(text, attachments),
    priority: request.priority ?? type?.priority ?? 'normal',
    typeId: type?.id ?? null,
    source: request.source,
    subscriberId: subscriber?.id ?? null,
    customer: 'contact' in customer ? customer : null,
    words: searchedWords(projectId, [request.subject, text, ...searched]),
    firstReplyHours: settings.first_reply_hours,
    resolveHours: settings.resolve_hours,
  });
  await insertTicketMessage(db, {
    id: uuidv7(),
    ticketId: id,
    sender: 'customer',
    text,
    attachments,
    updateId: request.updateId ?? null,
    chatMessageId: request.chatMessageId ?? null,
  });
  const ticket = await findTicket(db, projectId, id);
  if (!ticket) throw new Error('the ticket was not inserted');
  const assigneeId = request.assigneeId === undefined ? (type?.assignee_id ?? null) : request.assigneeId;
  await ticketEvents(db, format).created(ticket, text, assigneeId);
  if (assigneeId === null) return ticket;
  // The type alone has assigned it.
  const assigner = author.by === 'customer' ? { ...author, by: 'system' as const } : author;
  return changeTicket(db, ticket, { assignee_id: assigneeId }, assigner, format);
}
