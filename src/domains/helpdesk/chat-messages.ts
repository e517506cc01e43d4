import { randomUUID } from 'node:crypto';
import { botTexts, type Chat, type ChatMessage, storableText, storedBotKey } from '../bots';
import { AppError } from '../../base/contract/errors';
import type { Core } from '../../base/core';
import { withTransaction, type Db } from '../../base/db/pool';
import { onBehalfOf } from '../../base/db/project-share';
import { findSubscriberOfUser, lockSubscriber, userOf } from '../subscribers';
import { byCustomer } from './change';
import { say, sayAbout, whichTicket } from './chat-words';
import { createTicket } from './create';
import { addCustomerMessage, takesMessages } from './customer-message';
import {
  endWriting,
  findChatState,
  findOwnTicket,
  findQuotedTicket,
  keepMessage,
  openTicketsOf,
  type OwnTicket,
  reopenableTicketsOf,
  type KeptMessage,
} from './queries/chats';
import { fileReferencesOf, findTicketOfUpdate, type Attachment } from './queries/messages';
import { lockTicket } from './queries/tickets';

export type Deps = Pick<Core, 'pool' | 'config'>;

const NAME_LENGTH = 200;
const MIME_LENGTH = 100;

/** Adds a message of the user to a ticket: the quoted one, one that is begun, the chosen one, or the only possible one. */
export async function takeMessage(deps: Deps, sent: ChatMessage): Promise<boolean> {
  const handled = await findTicketOfUpdate(deps.pool, sent.updateId);
  if (handled) {
    // The reply to it may have been lost with the process.
    if (handled.is_first) await accept(deps, sent, handled);
    return true;
  }
  const user = userOf(sent);
  if (sent.edited) return correct(deps, sent);
  const quoted = sent.quotes === null ? null : await findQuotedTicket(deps.pool, user, sent.quotes);
  const { writing, ticketId } = await findChatState(deps.pool, user);
  const isEmpty = sent.text === '' && sent.files.length === 0;
  if (quoted) return isEmpty ? refuse(sent) : addTo(deps, sent, quoted);
  if (writing) return isEmpty ? refuse(sent) : begin(deps, sent, writing);
  const chosen = ticketId === null ? null : await findOwnTicket(deps.pool, user, ticketId);
  const candidates = chosen ? [chosen] : await candidatesOf(deps, sent);
  const [first] = candidates;
  if (!first) return false;
  if (isEmpty) return refuse(sent);
  return candidates.length === 1 ? addTo(deps, sent, first) : ask(deps, sent, candidates);
}

/** Open tickets; if there are none, those that a message reopens. */
async function candidatesOf({ pool }: Deps, chat: Chat): Promise<OwnTicket[]> {
  const user = userOf(chat);
  const open = await openTicketsOf(pool, user);
  return open.length > 0 ? open : reopenableTicketsOf(pool, user);
}

async function refuse(chat: Chat): Promise<true> {
  await say(chat, { text: botTexts[chat.user.lang].cannotPassOn });
  return true;
}

/** A message that was changed is added once more, without the files that it had: what the team has read stays as it was. */
async function correct(deps: Deps, sent: ChatMessage): Promise<boolean> {
  const ticket = await findQuotedTicket(deps.pool, userOf(sent), sent.messageId);
  if (!ticket) return false;
  const known = new Set(await fileReferencesOf(deps.pool, ticket.id, sent.messageId));
  const files = sent.files.filter(({ reference }) => !known.has(reference));
  if (sent.text === '' && files.length === 0) return true;
  const text = `${botTexts[sent.user.lang].edited} ${sent.text}`.trim();
  return addTo(deps, { ...sent, text, files }, ticket);
}

async function begin(
  deps: Deps,
  sent: ChatMessage,
  { projectId, typeId }: { projectId: string; typeId: string | null },
): Promise<true> {
  const user = userOf(sent);
  const created = await onBehalfOf(projectId, () =>
    withTransaction(deps.pool, async (db) => {
      await endWriting(db, user);
      return create(deps, db, sent, keptOf(sent), { projectId, typeId });
    }),
  ).catch(orNull);
  if (created) await accept(deps, sent, created);
  else {
    await endWriting(deps.pool, user);
    await say(sent, { text: botTexts[sent.user.lang].supportNotSetUp });
  }
  return true;
}

async function addTo(deps: Deps, sent: ChatMessage, ticket: OwnTicket): Promise<true> {
  const created = await add(deps, sent, ticket, () => Promise.resolve([keptOf(sent)])).catch(orOff);
  if (created === 'off') await say(sent, { text: botTexts[sent.user.lang].supportNotSetUp });
  else if (created) await accept(deps, sent, created);
  return true;
}

async function accept(deps: Deps, chat: Chat, { id, number }: { id: string; number: number }): Promise<void> {
  await sayAbout(deps, id, chat, { text: botTexts[chat.user.lang].ticketAccepted({ number }) });
}

/** Adds messages to a ticket of the user; a new one begins where it was closed too long ago. Returns the new one. */
export function add(deps: Deps, chat: Chat, ticket: OwnTicket, messages: (db: Db) => Promise<KeptMessage[]>) {
  const projectId = ticket.project_id;
  const format = deps.config.HERALD_SUBSCRIBER_ID_FORMAT;
  return onBehalfOf(projectId, () =>
    withTransaction(deps.pool, async (db) => {
      const found = await findSubscriberOfUser(db, projectId, chat.messenger.channel, chat.user.id);
      if (found) await lockSubscriber(db, projectId, found.id);
      const locked = await lockTicket(db, projectId, ticket.id);
      if (!locked) return null;
      const [first, ...rest] = await messages(db);
      if (!first) return null;
      const isOpen = await takesMessages(db, locked);
      const created = isOpen
        ? null
        : await create(deps, db, chat, first, { projectId, typeId: locked.type_id });
      let target = created ? await lockTicket(db, projectId, created.id) : locked;
      for (const each of isOpen ? [first, ...rest] : rest) {
        // Each goes on from the one before: only the first moves the ticket.
        target =
          target && ((await addCustomerMessage(db, target, customerMessage(chat, each), format)) ?? target);
      }
      return created;
    }),
  );
}

/** A new ticket of the user, who is a subscriber of the project; null if they were removed meanwhile. */
async function create(
  deps: Deps,
  db: Db,
  chat: Chat,
  { updateId, message: { messageId, text, files } }: KeptMessage,
  { projectId, typeId }: { projectId: string; typeId: string | null },
): Promise<{ id: string; number: number } | null> {
  const found = await findSubscriberOfUser(db, projectId, chat.messenger.channel, chat.user.id);
  const customer = found && (await lockSubscriber(db, projectId, found.id));
  if (!customer) return null;
  return createTicket(
    db,
    {
      projectId,
      source: 'bot',
      customer,
      text,
      attachments: attachmentsOf(chat, files),
      typeId,
      author: byCustomer,
      updateId,
      chatMessageId: messageId,
    },
    deps.config.HERALD_SUBSCRIBER_ID_FORMAT,
  );
}

async function ask({ pool }: Deps, sent: ChatMessage, tickets: OwnTicket[]): Promise<true> {
  const isKept = await keepMessage(pool, userOf(sent), keptOf(sent));
  const texts = botTexts[sent.user.lang];
  const question = whichTicket(sent.user.lang, tickets);
  await say(sent, isKept ? question : { ...question, text: texts.tooManyKept });
  return true;
}

/** The helpdesk was switched off, or the type deleted, while the customer wrote. */
function orNull(error: unknown): null {
  if (error instanceof AppError && ['conflict', 'not_found'].includes(error.code)) return null;
  throw error;
}

export function orOff(error: unknown): 'off' {
  if (error instanceof AppError && error.code === 'conflict') return 'off';
  throw error;
}

function keptOf({ updateId, receivedAt, messageId, text, files }: ChatMessage): KeptMessage {
  return { updateId, receivedAt, message: { messageId, text, files } };
}

function customerMessage(chat: Chat, { updateId, message: { messageId, text, files } }: KeptMessage) {
  return { text, attachments: attachmentsOf(chat, files), updateId, chatMessageId: messageId };
}

function attachmentsOf({ messenger }: Chat, files: KeptMessage['message']['files']): Attachment[] {
  return files.map(({ type, reference, name, mime, bytes }) => ({
    attachment_id: randomUUID(),
    type,
    // A cut may leave half of a surrogate pair.
    name: name ? storableText(name.slice(-NAME_LENGTH)) : null,
    mime: mime ? storableText(mime.slice(0, MIME_LENGTH)) : null,
    bytes,
    reference,
    channel: messenger.channel,
    bot: storedBotKey(messenger),
  }));
}
