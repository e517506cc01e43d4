import { normalContent } from '../../base/contract/content';
import { AppError, orNotFound } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Work } from '../../base/http/idempotency';
import { contentForOne, insertMessages, sendQueued, type DeliverDeps } from '../messages';
import type { MessageContent } from '../messages/contract';
import { findMember, isBillingBlocked } from '../projects';
import type { Caller as AnyCaller } from '../../base/http/route';
import { findSubscriber, lockSubscriber, type SubscriberRecord } from '../subscribers';
import { escapes } from '../templates';
import { authorOf, recordChange, withStatus, type Author } from './change';
import type { NewTicketMessage } from './contract';
import { addCustomerMessage, takesMessages } from './customer-message';
import { ticketEvents } from './emit';
import {
  findTicketMessage,
  insertTicketMessage,
  recordDelivery,
  type TicketMessageRow,
} from './queries/messages';
import { findTicket, lockTicket, updateTicket, type TicketRow } from './queries/tickets';
import { wakeForRating } from './queries/timers';
import { previewOf } from './ticket';

type Caller = Pick<AnyCaller, 'id' | 'name' | 'member_id'>;

export async function requireTicket(db: Db, projectId: string, id: string): Promise<TicketRow> {
  return orNotFound(await findTicket(db, projectId, id));
}

/**
 * Writes in a ticket. The message, its events and the queued reply commit together; the reply is sent after that, and its
 * result is the message's `delivery`. A request that was interrupted resumes by its id.
 */
export async function writeMessage(
  deps: DeliverDeps,
  caller: Caller,
  ticketId: string,
  request: NewTicketMessage,
  work: Work,
): Promise<TicketMessageRow> {
  const { pool } = deps;
  const ticket = await requireTicket(pool, caller.id, ticketId);
  const written = work.resumed ? await findTicketMessage(pool, ticketId, work.id) : null;
  if (!written) await write(deps, caller, ticket, request, work.id);
  await sendQueued(
    deps,
    {
      projectId: caller.id,
      requestId: work.id,
      isAnswer: true,
      onResult: async (db, result) => {
        await recordDelivery(db, work.id, result);
        await wakeForRating(db, ticketId);
      },
    },
    { isResumed: written !== null },
  );
  return orNotFound(await findTicketMessage(pool, ticketId, work.id));
}

async function write(
  deps: DeliverDeps,
  caller: Caller,
  ticket: TicketRow,
  request: NewTicketMessage,
  id: string,
): Promise<void> {
  const { pool, config } = deps;
  const { internal, from } = request;
  if (from === 'customer' && !ticket.virtual) {
    throw new AppError('validation_failed', 'from: only a customer without a subscriber is written for');
  }
  const isReply = !internal && from === 'agent';
  if (isReply && (await isBillingBlocked(pool, caller.id, config.HERALD_GRACE_HOURS))) {
    throw new AppError('billing_blocked');
  }
  const subscriber =
    ticket.subscriber_id === null ? null : await findSubscriber(pool, caller.id, ticket.subscriber_id);
  const content = await rendered(deps, caller, ticket, request, subscriber);
  const outgoing = isReply && subscriber ? withHeader(content, caller.name, ticket.number) : null;
  await withTransaction(pool, async (db) => {
    const recipient = subscriber && (await lockSubscriber(db, caller.id, subscriber.id));
    const locked = orNotFound(await lockTicket(db, caller.id, ticket.id));
    if (from === 'customer') return addAsCustomer(db, locked, request, content, id, deps);
    await addAsAgent(
      db,
      locked,
      request,
      content,
      { id, author: authorOf(caller), recipient, outgoing },
      deps,
    );
  });
}

async function addAsCustomer(
  db: Db,
  ticket: TicketRow,
  { status }: NewTicketMessage,
  { text }: MessageContent,
  id: string,
  { config }: DeliverDeps,
): Promise<void> {
  if (status !== undefined) {
    throw new AppError('validation_failed', 'status: cannot be set by a message of the customer');
  }
  if (!(await takesMessages(db, ticket))) {
    throw new AppError('conflict', 'This ticket was closed too long ago to be reopened. Create a new one.');
  }
  await addCustomerMessage(db, ticket, { id, text }, config.HERALD_SUBSCRIBER_ID_FORMAT);
}

async function addAsAgent(
  db: Db,
  ticket: TicketRow,
  { internal, status: given }: NewTicketMessage,
  { text }: MessageContent,
  {
    id,
    author,
    recipient,
    outgoing,
  }: { id: string; author: Author; recipient: SubscriberRecord | null; outgoing: MessageContent | null },
  { config }: DeliverDeps,
): Promise<void> {
  const { memberId } = author;
  const isSent = outgoing !== null && recipient !== null;
  await insertTicketMessage(db, {
    id,
    ticketId: ticket.id,
    sender: 'agent',
    internal,
    text,
    memberId,
    isSent,
  });
  if (isSent) {
    await insertMessages(
      db,
      {
        projectId: ticket.project_id,
        requestId: id,
        source: 'ticket',
        sourceId: ticket.id,
        content: outgoing,
      },
      [{ subscriberId: recipient.id, channel: recipient.channel }],
    );
  }
  const answered = internal
    ? ticket
    : { ...ticket, preview: previewOf(text), first_reply_at: ticket.first_reply_at ?? ticket.now };
  const moved = await withStatus(db, answered, given ?? (internal ? ticket.status : 'waiting'));
  const after = internal ? moved : { ...moved, waiting_since: null, unanswered_reported: false };
  await updateTicket(db, after);
  const events = ticketEvents(db, config.HERALD_SUBSCRIBER_ID_FORMAT);
  if (!internal) await events.replied(after, { id, from: 'agent', memberId, text, attachments: [] });
  if (after.status === ticket.status) return;
  if (after.status === 'closed' || ticket.status === 'closed') {
    const change = { field: 'status', before: ticket.status, after: after.status } as const;
    await recordChange(db, ticket, change, author);
  }
  await events.statusChanged(after, ticket.status, author.by);
}

async function rendered(
  { pool, config }: DeliverDeps,
  { id: projectId, member_id }: Caller,
  { number }: TicketRow,
  { content }: NewTicketMessage,
  subscriber: SubscriberRecord | null,
): Promise<MessageContent> {
  const member = member_id === null ? null : await findMember(pool, projectId, member_id);
  const reply = { number, agent: member?.first_name ?? null };
  const further = { names: ['reply'] as const, reply };
  const found = await contentForOne(pool, config, projectId, normalContent(content), subscriber, {
    path: 'content.',
    further,
  });
  if (found.text.trim() === '') throw new AppError('validation_failed', 'content: the text is empty');
  return found;
}

/** The customer talks to several projects in one chat: the first line says who answers what. */
function withHeader(content: MessageContent, project: string, number: number): MessageContent {
  const escape = content.format === 'plain' ? escapes.none : escapes[content.format];
  const text = `${escape(`${project.replaceAll(/\s+/g, ' ').trim()} · #${number}`)}\n${content.text}`;
  if (text.length > limits.messageTextLength) {
    const room = limits.messageTextLength - (text.length - content.text.length);
    throw new AppError('validation_failed', `content.text: a reply can have up to ${room} characters here`);
  }
  return { ...content, text };
}
