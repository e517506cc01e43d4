import { randomUUID } from 'node:crypto';
import {
  botTexts,
  type Button,
  type Chat,
  type ChatHandlers,
  type ChatMessage,
  type OutgoingMessage,
  serves,
  storableText,
  storedBotKey,
  type Tap,
} from '../bots';
import type { Language } from '../contract/common';
import { AppError } from '../contract/errors';
import type { Core } from '../core';
import { withTransaction, type Db } from '../db/pool';
import { onBehalfOf } from '../db/project-share';
import { findProjectBySlug, projectMaySend } from '../projects';
import { findSubscriberOfUser, lockSubscriber, personOf, subscribe, userOf } from '../subscribers';
import { byCustomer } from './change';
import { createTicket } from './create';
import { addCustomerMessage, takesMessages } from './customer-message';
import {
  beginWriting,
  chooseTicket,
  endWriting,
  findChatState,
  findOwnTicket,
  findQuotedTicket,
  keepMessage,
  openTicketsOf,
  type OwnTicket,
  recordBotMessage,
  reopenableTicketsOf,
  takeKeptMessages,
  type KeptMessage,
} from './queries/chats';
import { fileReferencesOf, findTicketOfUpdate, type Attachment } from './queries/messages';
import { findAnyType, findSettings, listTypes, type TicketTypeRow } from './queries/settings';
import { lockTicket } from './queries/tickets';
import { rate } from './rating';
import { parseTap, tapData } from './tap-data';

type Deps = Pick<Core, 'pool' | 'config'>;

const BUTTON_LENGTH = 60;
const NAME_LENGTH = 200;
const MIME_LENGTH = 100;

/**
 * Support in the chat: a `help_` link leads to a question, the next message to a ticket, and later messages go to the ticket
 * that they are about. See the order of precedence in bots/conversation.ts.
 */
export function helpdeskChat(deps: Deps): ChatHandlers {
  const { pool, config } = deps;
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  async function openSupport(slug: string, chat: Chat): Promise<void> {
    const texts = botTexts[chat.user.lang];
    const project = await findProjectBySlug(pool, slug);
    if (!project?.active || !serves(chat, project.id)) return say(chat, { text: texts.unknownLink });
    if (!(await findSettings(pool, project.id)).enabled) return say(chat, { text: texts.supportNotSetUp });
    const user = userOf(chat);
    await onBehalfOf(project.id, () =>
      withTransaction(pool, (db) => subscribe(db, project.id, personOf(chat), format)),
    );
    const open = (await openTicketsOf(pool, user)).filter(({ project_id }) => project_id === project.id);
    const [only] = open;
    if (only) {
      if (open.length > 1) return say(chat, whichTicket(chat.user.lang, open));
      await chooseTicket(pool, user, only.id);
      return say(chat, { text: texts.ticketOpen(only) }, only.id);
    }
    await beginWriting(pool, user, { projectId: project.id, typeId: null });
    const types = (await listTypes(pool, project.id)).reverse();
    await say(chat, {
      text: texts.ticketQuestion,
      buttons: types.map((type) => [typeButton(type, chat.user.lang)]),
    });
  }

  /** Also on an old question: the request begins again. */
  async function chooseType(tap: Tap, typeId: string): Promise<void> {
    const texts = botTexts[tap.user.lang];
    const type = await findAnyType(pool, typeId);
    const user = userOf(tap);
    const person =
      type && serves(tap, type.project_id) && (await projectMaySend(pool, type.project_id))
        ? await findSubscriberOfUser(pool, type.project_id, user.channel, user.platform_user_id)
        : null;
    if (!type || !person) return replace(tap, { text: texts.unknownLink });
    if (!(await findSettings(pool, type.project_id)).enabled) {
      return replace(tap, { text: texts.supportNotSetUp });
    }
    const open = (await openTicketsOf(pool, user)).find(({ project_id }) => project_id === type.project_id);
    if (open) {
      await chooseTicket(pool, user, open.id);
      return replace(tap, { text: texts.ticketOpen(open) });
    }
    await beginWriting(pool, user, { projectId: type.project_id, typeId });
    await replace(tap, { text: texts.ticketMessageWanted({ type: nameOf(type, tap.user.lang) }) });
  }

  async function message(sent: ChatMessage): Promise<boolean> {
    const handled = await findTicketOfUpdate(pool, sent.updateId);
    if (handled) {
      // The reply to it may have been lost with the process.
      if (handled.is_first) await accept(sent, handled);
      return true;
    }
    const user = userOf(sent);
    if (sent.edited) return correct(sent);
    const quoted = sent.quotes === null ? null : await findQuotedTicket(pool, user, sent.quotes);
    const { writing, ticketId } = await findChatState(pool, user);
    const isEmpty = sent.text === '' && sent.files.length === 0;
    if (quoted) return isEmpty ? refuse(sent) : addTo(sent, quoted);
    if (writing) return isEmpty ? refuse(sent) : begin(sent, writing);
    const chosen = ticketId === null ? null : await findOwnTicket(pool, user, ticketId);
    const candidates = chosen ? [chosen] : await candidatesOf(sent);
    const [first] = candidates;
    if (!first) return false;
    if (isEmpty) return refuse(sent);
    return candidates.length === 1 ? addTo(sent, first) : ask(sent, candidates);
  }

  /** Open tickets; if there are none, those that a message reopens. */
  async function candidatesOf(chat: Chat): Promise<OwnTicket[]> {
    const user = userOf(chat);
    const open = await openTicketsOf(pool, user);
    return open.length > 0 ? open : reopenableTicketsOf(pool, user);
  }

  async function refuse(chat: Chat): Promise<true> {
    await say(chat, { text: botTexts[chat.user.lang].cannotPassOn });
    return true;
  }

  /** A message that was changed is added once more, without the files that it had: what the team has read stays as it was. */
  async function correct(sent: ChatMessage): Promise<boolean> {
    const ticket = await findQuotedTicket(pool, userOf(sent), sent.messageId);
    if (!ticket) return false;
    const known = new Set(await fileReferencesOf(pool, ticket.id, sent.messageId));
    const files = sent.files.filter(({ reference }) => !known.has(reference));
    if (sent.text === '' && files.length === 0) return true;
    const text = `${botTexts[sent.user.lang].edited} ${sent.text}`.trim();
    return addTo({ ...sent, text, files }, ticket);
  }

  async function begin(
    sent: ChatMessage,
    { projectId, typeId }: { projectId: string; typeId: string | null },
  ): Promise<true> {
    const user = userOf(sent);
    const created = await onBehalfOf(projectId, () =>
      withTransaction(pool, async (db) => {
        await endWriting(db, user);
        return create(db, sent, keptOf(sent), { projectId, typeId });
      }),
    ).catch(orNull);
    if (created) await accept(sent, created);
    else {
      await endWriting(pool, user);
      await say(sent, { text: botTexts[sent.user.lang].supportNotSetUp });
    }
    return true;
  }

  /** A new ticket of the user, who is a subscriber of the project; null if they were removed meanwhile. */
  async function create(
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
      format,
    );
  }

  async function accept(chat: Chat, { id, number }: { id: string; number: number }): Promise<void> {
    await say(chat, { text: botTexts[chat.user.lang].ticketAccepted({ number }) }, id);
  }

  /** Adds messages to a ticket of the user; a new one begins where it was closed too long ago. Returns the new one. */
  function add(chat: Chat, ticket: OwnTicket, messages: (db: Db) => Promise<KeptMessage[]>) {
    const projectId = ticket.project_id;
    return onBehalfOf(projectId, () =>
      withTransaction(pool, async (db) => {
        const found = await findSubscriberOfUser(db, projectId, chat.messenger.channel, chat.user.id);
        if (found) await lockSubscriber(db, projectId, found.id);
        const locked = await lockTicket(db, projectId, ticket.id);
        if (!locked) return null;
        const [first, ...rest] = await messages(db);
        if (!first) return null;
        const isOpen = await takesMessages(db, locked);
        const created = isOpen ? null : await create(db, chat, first, { projectId, typeId: locked.type_id });
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

  async function addTo(sent: ChatMessage, ticket: OwnTicket): Promise<true> {
    const created = await add(sent, ticket, () => Promise.resolve([keptOf(sent)])).catch(orOff);
    if (created === 'off') await say(sent, { text: botTexts[sent.user.lang].supportNotSetUp });
    else if (created) await accept(sent, created);
    return true;
  }

  async function ask(sent: ChatMessage, tickets: OwnTicket[]): Promise<true> {
    const isKept = await keepMessage(pool, userOf(sent), keptOf(sent));
    const texts = botTexts[sent.user.lang];
    const question = whichTicket(sent.user.lang, tickets);
    await say(sent, isKept ? question : { ...question, text: texts.tooManyKept });
    return true;
  }

  async function choose(tap: Tap, ticketId: string): Promise<void> {
    const texts = botTexts[tap.user.lang];
    const user = userOf(tap);
    const ticket = await findOwnTicket(pool, user, ticketId);
    if (!ticket) return replace(tap, { text: texts.noTickets });
    const created = await add(tap, ticket, async (db) => {
      await chooseTicket(db, user, ticket.id);
      return takeKeptMessages(db, user);
    }).catch(orOff);
    if (created === 'off') return replace(tap, { text: texts.supportNotSetUp });
    await chooseTicket(pool, user, created?.id ?? ticket.id);
    await replace(tap, { text: created ? texts.ticketAccepted(created) : texts.ticketChosen(ticket) });
  }

  async function cancel(chat: Chat): Promise<boolean> {
    const texts = botTexts[chat.user.lang];
    const user = userOf(chat);
    const isWriting = await endWriting(pool, user);
    const kept = await takeKeptMessages(pool, user);
    if (!isWriting && kept.length === 0) return false;
    await say(chat, { text: isWriting ? texts.ticketCancelled : texts.messageCancelled });
    return true;
  }

  async function list(chat: Chat): Promise<boolean> {
    const open = await openTicketsOf(pool, userOf(chat));
    if (open.length === 0) return false;
    const lines = open.map((ticket) => `${labelOf(ticket)}: ${ticket.subject ?? ticket.preview ?? ''}`);
    const buttons = open.length > 1 ? { buttons: open.map(ticketButton) } : {};
    await say(chat, { text: [botTexts[chat.user.lang].yourTickets, ...lines].join('\n'), ...buttons });
    return true;
  }

  /** What the bot says about a ticket is remembered, so that it can be quoted. */
  async function say(chat: Chat, message: OutgoingMessage, ticketId?: string): Promise<void> {
    const { messageId } = await chat.messenger.send(chat.chatId, message);
    if (ticketId !== undefined) await recordBotMessage(pool, ticketId, messageId);
  }

  return {
    links: { help: openSupport },
    message,
    command: { cancel, tickets: list },
    stop: async (chat) => void (await endWriting(pool, userOf(chat))),
    async tap(tap) {
      const parsed = parseTap(tap.data);
      if (!parsed) return false;
      if (parsed.kind === 'rating') await rate(deps, tap, parsed);
      else if (parsed.kind === 'type') await chooseType(tap, parsed.id);
      else await choose(tap, parsed.id);
      return true;
    },
  };
}

/** The helpdesk was switched off, or the type deleted, while the customer wrote. */
function orNull(error: unknown): null {
  if (error instanceof AppError && ['conflict', 'not_found'].includes(error.code)) return null;
  throw error;
}

function orOff(error: unknown): 'off' {
  if (error instanceof AppError && error.code === 'conflict') return 'off';
  throw error;
}

/** Answers a tap by changing the message that was tapped. */
async function replace(tap: Tap, message: OutgoingMessage): Promise<void> {
  await tap.messenger.answerTap(tap.callbackId).catch(() => undefined);
  if (tap.messageId === null) await tap.messenger.send(tap.chatId, message);
  else await tap.messenger.edit(tap.chatId, tap.messageId, message);
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

function whichTicket(lang: Language, tickets: OwnTicket[]): OutgoingMessage {
  return { text: botTexts[lang].whichTicket, buttons: tickets.map(ticketButton) };
}

function ticketButton(ticket: OwnTicket): Button[] {
  return [{ text: labelOf(ticket), data: tapData({ kind: 'ticket', id: ticket.id }) }];
}

/** `#42 Acme` */
function labelOf({ number, project_name }: OwnTicket): string {
  return cut(`#${number} ${project_name.replaceAll(/\s+/g, ' ')}`);
}

function typeButton(type: TicketTypeRow, lang: Language): Button {
  return { text: cut(nameOf(type, lang)), data: tapData({ kind: 'type', id: type.id }) };
}

function nameOf(type: TicketTypeRow, lang: Language): string {
  return lang === 'ru' ? type.name_ru : type.name_en;
}

function cut(text: string): string {
  const characters = [...text];
  return characters.length > BUTTON_LENGTH ? `${characters.slice(0, BUTTON_LENGTH).join('')}…` : text;
}
