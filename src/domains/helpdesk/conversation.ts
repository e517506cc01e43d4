import { botTexts, type Chat, type ChatHandlers, serves, type Tap } from '../bots';
import { withTransaction } from '../../base/db/pool';
import { onBehalfOf } from '../../base/db/project-share';
import { findProjectBySlug, projectMaySend } from '../projects';
import { findSubscriberOfUser, personOf, subscribe, userOf } from '../subscribers';
import { add, orOff, takeMessage, type Deps } from './chat-messages';
import { labelOf, nameOf, replace, say, sayAbout, ticketButton, typeButton, whichTicket } from './chat-words';
import {
  beginWriting,
  chooseTicket,
  endWriting,
  findOwnTicket,
  openTicketsOf,
  takeKeptMessages,
} from './queries/chats';
import { findAnyType, findSettings, listTypes } from './queries/settings';
import { rate } from './rating';
import { parseTap } from './tap-data';

/**
 * Support in the chat: a `help_` link leads to a question, the next message to a ticket, and later messages go to the ticket
 * that they are about. See the order of precedence in bots/conversation.ts.
 */
export function helpdeskChat(deps: Deps): ChatHandlers {
  return {
    links: { help: (slug, chat) => openSupport(deps, slug, chat) },
    message: (sent) => takeMessage(deps, sent),
    command: { cancel: (chat) => cancel(deps, chat), tickets: (chat) => list(deps, chat) },
    stop: async (chat) => void (await endWriting(deps.pool, userOf(chat))),
    tap: (tap) => takeTap(deps, tap),
  };
}

async function takeTap(deps: Deps, tap: Tap): Promise<boolean> {
  const parsed = parseTap(tap.data);
  if (!parsed) return false;
  if (parsed.kind === 'rating') await rate(deps, tap, parsed);
  else if (parsed.kind === 'type') await chooseType(deps, tap, parsed.id);
  else await choose(deps, tap, parsed.id);
  return true;
}

async function openSupport(deps: Deps, slug: string, chat: Chat): Promise<void> {
  const texts = botTexts[chat.user.lang];
  const project = await findProjectBySlug(deps.pool, slug);
  if (!project?.active || !serves(chat, project.id)) return say(chat, { text: texts.unknownLink });
  if (!(await findSettings(deps.pool, project.id)).enabled) return say(chat, { text: texts.supportNotSetUp });
  const user = userOf(chat);
  await onBehalfOf(project.id, () =>
    withTransaction(deps.pool, (db) =>
      subscribe(db, project.id, personOf(chat), deps.config.HERALD_SUBSCRIBER_ID_FORMAT),
    ),
  );
  const open = (await openTicketsOf(deps.pool, user)).filter(({ project_id }) => project_id === project.id);
  const [only] = open;
  if (only) {
    if (open.length > 1) return say(chat, whichTicket(chat.user.lang, open));
    await chooseTicket(deps.pool, user, only.id);
    return sayAbout(deps, only.id, chat, { text: texts.ticketOpen(only) });
  }
  await beginWriting(deps.pool, user, { projectId: project.id, typeId: null });
  const types = (await listTypes(deps.pool, project.id)).reverse();
  await say(chat, {
    text: texts.ticketQuestion,
    buttons: types.map((type) => [typeButton(type, chat.user.lang)]),
  });
}

/** Also on an old question: the request begins again. */
async function chooseType({ pool }: Deps, tap: Tap, typeId: string): Promise<void> {
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

async function choose(deps: Deps, tap: Tap, ticketId: string): Promise<void> {
  const texts = botTexts[tap.user.lang];
  const user = userOf(tap);
  const ticket = await findOwnTicket(deps.pool, user, ticketId);
  if (!ticket) return replace(tap, { text: texts.noTickets });
  const created = await add(deps, tap, ticket, async (db) => {
    await chooseTicket(db, user, ticket.id);
    return takeKeptMessages(db, user);
  }).catch(orOff);
  if (created === 'off') return replace(tap, { text: texts.supportNotSetUp });
  await chooseTicket(deps.pool, user, created?.id ?? ticket.id);
  await replace(tap, { text: created ? texts.ticketAccepted(created) : texts.ticketChosen(ticket) });
}

async function cancel({ pool }: Deps, chat: Chat): Promise<boolean> {
  const texts = botTexts[chat.user.lang];
  const user = userOf(chat);
  const isWriting = await endWriting(pool, user);
  const kept = await takeKeptMessages(pool, user);
  if (!isWriting && kept.length === 0) return false;
  await say(chat, { text: isWriting ? texts.ticketCancelled : texts.messageCancelled });
  return true;
}

async function list({ pool }: Deps, chat: Chat): Promise<boolean> {
  const open = await openTicketsOf(pool, userOf(chat));
  if (open.length === 0) return false;
  const lines = open.map((ticket) => `${labelOf(ticket)}: ${ticket.subject ?? ticket.preview ?? ''}`);
  const buttons = open.length > 1 ? { buttons: open.map(ticketButton) } : {};
  await say(chat, { text: [botTexts[chat.user.lang].yourTickets, ...lines].join('\n'), ...buttons });
  return true;
}
