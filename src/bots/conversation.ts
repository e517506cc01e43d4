import type { Core } from '../core';
import { parseStartParameter, type StartKind } from '../contract/start-parameters';
import type { StoredUpdate } from './intake';
import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';
import { botTexts } from './texts';
import type { BotUser } from './update';

/** One update of a user, and where the bot answers it. */
export interface Chat {
  updateId: number;
  /** The database's time of storing the update: deadlines are compared with it. */
  receivedAt: Date;
  messenger: Messenger;
  chatId: string;
  user: BotUser;
}

/** A tap on a button. Its data can be forged: nothing in it is trusted. */
export interface Tap extends Chat {
  data: string;
  callbackId: string;
  /** Null where the platform did not say which message it was (MAX may not). */
  messageId: string | null;
}

/** What one domain does in the chat. Domains register theirs in roles/bots.ts. */
export interface ChatHandlers {
  /** Opened deep links, by the kind of their start parameter. */
  links?: Partial<Record<StartKind, (rest: string, chat: Chat) => Promise<void>>>;
  /** Returns false where the button is not one of this domain's. */
  tap?: (tap: Tap) => Promise<boolean>;
  stop?: (chat: Chat) => Promise<void>;
  blocked?: (chat: Chat) => Promise<void>;
  unblocked?: (chat: Chat) => Promise<void>;
}

/**
 * Routes each update to the domain that handles it. An update whose handler throws is handled again later, so every
 * handler must be safe to repeat.
 */
export function createConversation(
  { messengers, log }: Pick<Core, 'messengers' | 'log'>,
  domains: ChatHandlers[],
): (update: StoredUpdate) => Promise<void> {
  async function each(name: 'stop' | 'blocked' | 'unblocked', chat: Chat): Promise<void> {
    for (const domain of domains) await domain[name]?.(chat);
  }

  async function open(start: string | null, chat: Chat): Promise<void> {
    const texts = botTexts[chat.user.lang];
    if (start === null) return say(chat, texts.help);
    const parameter = parseStartParameter(start);
    const handler =
      parameter && domains.find(({ links }) => links?.[parameter.kind])?.links?.[parameter.kind];
    if (!handler) return say(chat, texts.unknownLink);
    return handler(parameter.rest, chat);
  }

  async function tap(tapped: Tap): Promise<void> {
    for (const domain of domains) {
      if (await domain.tap?.(tapped)) return;
    }
    await tapped.messenger.answerTap(tapped.callbackId).catch(() => undefined);
  }

  async function handle({ parsed }: StoredUpdate, chat: Chat): Promise<void> {
    const { incoming } = parsed;
    if (incoming.kind === 'blocked' || incoming.kind === 'unblocked') return each(incoming.kind, chat);
    if (incoming.kind === 'tap') return tap({ ...chat, ...incoming });
    // Everyone in a group can read what the bot says, so logins and subscriptions need a private chat.
    if (!parsed.private) return;
    if (incoming.kind === 'open') {
      // A user who opens the bot has not blocked it. MAX reports an unblock in no other way.
      await each('unblocked', chat);
      return open(incoming.start, chat);
    }
    if (incoming.kind === 'stop') return each('stop', chat);
    if (incoming.kind === 'text') return say(chat, botTexts[chat.user.lang].notUnderstood);
  }

  return async (update) => {
    const { channel, user, chatId } = update.parsed;
    const messenger = messengers.get(channel);
    if (!messenger) throw new Error(`the bot of ${channel} is not connected yet`);
    if (!user) return;
    const chat = { updateId: update.id, receivedAt: update.receivedAt, messenger, chatId, user };
    try {
      await handle(update, chat);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryable) throw error;
      log.info(
        { update_id: update.id, channel, reason: error.reason },
        'the platform rejected a bot message',
      );
      if (error.reason === 'user_blocked_bot') await each('blocked', chat);
    }
  };
}

async function say({ messenger, chatId }: Chat, text: string): Promise<void> {
  await messenger.send(chatId, { text });
}
