import { parseStartParameter, type StartKind } from '../../base/contract/start-parameters';
import type { Core } from '../../base/core';
import type { StoredUpdate } from './intake';
import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';
import { projectText } from './project-text';
import { botTexts } from './texts';
import type { Turns } from './turns';
import type { BotUser, Command, IncomingMessage } from './update';

/** The context of one update: who sent it and where the bot replies. */
export interface Chat {
  updateId: number;
  /** When the update was stored, by the database clock; deadlines are compared with it. */
  receivedAt: Date;
  /** The bot to which the update came. */
  messenger: Messenger;
  /** The project that this bot serves; null for a shared bot, which serves all. */
  servedProjectId: string | null;
  chatId: string;
  user: BotUser;
}

/** A tap on a button. A client can forge its data, so handlers must not trust it. */
export interface Tap extends Chat {
  data: string;
  callbackId: string;
  /** Null if the platform did not name the message (MAX sometimes omits it). */
  messageId: string | null;
}

/** What a user has written or sent, as one domain is asked about it. */
export type ChatMessage = Chat & IncomingMessage;

/** One domain's chat handlers. roles/bots.ts registers them. */
export interface ChatHandlers {
  /** What is about Herald itself, such as its dashboard, is not valid in a project's own bot. */
  sharedBotOnly?: true;
  /** Opened deep links, by the kind of their start parameter. */
  links?: Partial<Record<StartKind, (rest: string, chat: Chat) => Promise<void>>>;
  /** Returns false if the button does not belong to this domain. */
  tap?: (tap: Tap) => Promise<boolean>;
  stop?: (chat: Chat) => Promise<void>;
  /** Returns false if the domain has nothing to do for the command: the next one is asked. */
  command?: Partial<Record<Command, (chat: Chat) => Promise<boolean>>>;
  /** Returns false if the domain has no use for the message: the next one is asked. */
  message?: (message: ChatMessage) => Promise<boolean>;
  /** A user has opened a project's own bot, with or without a link. */
  arrived?: (chat: Chat) => Promise<void>;
  blocked?: (chat: Chat) => Promise<void>;
  unblocked?: (chat: Chat) => Promise<void>;
}

/**
 * Routes each update to the domain that handles it. The intake retries an update whose handler throws, so handlers
 * must be idempotent.
 *
 * One conversation, whatever a user does in it at the same time. The order of precedence, which docs/architecture.md
 * explains and `domains` (roles/bots.ts) has:
 *
 * 1. `/start` with a link, a tap, `/stop`, `/cancel` and `/tickets` mean the same in every state.
 * 2. A message goes to the first that takes it: a form being filled; the ticket whose message it quotes; a request being
 *    written; the ticket that was chosen, the only open one, or the only one that can reopen; with several, the bot asks.
 * 3. A message that no conversation takes gets an answer that says what the bot can do. Nothing is dropped silently.
 */
export function createConversation(
  core: Pick<Core, 'pool' | 'config' | 'messengers' | 'turns' | 'log'>,
  domains: ChatHandlers[],
): (update: StoredUpdate) => Promise<void> {
  const { messengers, turns, log } = core;
  const domainsOf = ({ servedProjectId }: Chat) =>
    servedProjectId === null ? domains : domains.filter(({ sharedBotOnly }) => !sharedBotOnly);

  async function callEach(name: 'stop' | 'arrived' | 'blocked' | 'unblocked', chat: Chat): Promise<void> {
    for (const domain of domainsOf(chat)) await domain[name]?.(chat);
  }

  /** Only a project's own bot has its words: the shared one serves every project. */
  async function ownHelp({ servedProjectId, messenger, user }: Chat): Promise<string | null> {
    if (servedProjectId === null) return null;
    const { id, firstName, username, lang } = user;
    const reader = {
      channel: messenger.channel,
      platform_user_id: id,
      first_name: firstName,
      username,
      lang,
    };
    return projectText.get()(core, 'help', servedProjectId, reader);
  }

  async function open(start: string | null, chat: Chat): Promise<void> {
    const texts = botTexts[chat.user.lang];
    if (start === null) return say(chat, (await ownHelp(chat)) ?? texts.help);
    const parameter = parseStartParameter(start);
    const handler =
      parameter && domainsOf(chat).find(({ links }) => links?.[parameter.kind])?.links?.[parameter.kind];
    if (!handler) return say(chat, texts.unknownLink);
    return handler(parameter.rest, chat);
  }

  async function tap(tapped: Tap): Promise<void> {
    for (const domain of domainsOf(tapped)) {
      if (await domain.tap?.(tapped)) return;
    }
    await tapped.messenger.answerTap(tapped.callbackId).catch(() => undefined);
  }

  async function command(name: Command, chat: Chat): Promise<void> {
    for (const domain of domainsOf(chat)) {
      if (await domain.command?.[name]?.(chat)) return;
    }
    const texts = botTexts[chat.user.lang];
    await say(chat, name === 'cancel' ? texts.nothingToCancel : texts.noTickets);
  }

  async function message(sent: ChatMessage): Promise<void> {
    for (const domain of domainsOf(sent)) {
      if (await domain.message?.(sent)) return;
    }
    const texts = botTexts[sent.user.lang];
    if (!sent.edited) return say(sent, texts.notUnderstood);
    // A live location, for example, changes by itself.
    if (sent.text !== '' || sent.files.length > 0) await say(sent, texts.editNotRead);
  }

  async function handle({ parsed }: StoredUpdate, chat: Chat): Promise<void> {
    const { incoming } = parsed;
    if (incoming.kind === 'blocked' || incoming.kind === 'unblocked') return callEach(incoming.kind, chat);
    if (incoming.kind === 'tap') return tap({ ...chat, ...incoming });
    // Everyone in a group can read the bot's messages, so logins and subscriptions need a private chat.
    if (!parsed.private) return;
    if (incoming.kind === 'open') {
      if (chat.servedProjectId !== null) await callEach('arrived', chat);
      // MAX has no "unblocked" update: opening the bot is the only sign of it.
      await callEach('unblocked', chat);
      return open(incoming.start, chat);
    }
    if (incoming.kind === 'stop') return callEach('stop', chat);
    if (incoming.kind === 'command') return command(incoming.command, chat);
    if (incoming.kind === 'message') return message({ ...chat, ...incoming });
  }

  return async (update) => {
    const { channel, user, chatId } = update.parsed;
    const { messenger, isRemoved, projectId } = await messengers.find(channel, update.bot);
    // There is no bot left that could reply.
    if (isRemoved) return;
    // An outage like any other of the platform: the update waits and does not count as failed.
    if (!messenger) throw new PlatformError('platform_unavailable', 'The bot is not connected yet.');
    if (!user) return;
    const chat = {
      updateId: update.id,
      receivedAt: update.receivedAt,
      messenger: withoutWaiting(messenger, turns),
      servedProjectId: projectId,
      chatId,
      user,
    };
    try {
      await handle(update, chat);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryable) throw error;
      log.info(
        { update_id: update.id, channel, reason: error.reason },
        'the platform rejected a bot message',
      );
      if (error.reason === 'user_blocked_bot') await callEach('blocked', chat);
    }
  };
}

/** Replies, login questions first of all, never wait for a turn: they are counted, and messages make room for them. */
function withoutWaiting(messenger: Messenger, turns: Turns): Messenger {
  return {
    ...messenger,
    async send(...args) {
      const sent = await messenger.send(...args);
      turns.count(messenger.bot, 1);
      return sent;
    },
  };
}

/** Whether the bot of this chat serves a project: links of other projects are not valid in a project's own bot. */
export function serves({ servedProjectId }: Pick<Chat, 'servedProjectId'>, projectId: string): boolean {
  return servedProjectId === null || servedProjectId === projectId;
}

async function say({ messenger, chatId }: Chat, text: string): Promise<void> {
  await messenger.send(chatId, { text });
}
