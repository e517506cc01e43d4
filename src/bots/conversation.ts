import { parseStartParameter } from '../contracts/auth';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { findProjectBySlug } from '../db/projects';
import { markBlocked, markUnblocked, subscribe, unsubscribeAll } from '../db/subscribers';
import type { SessionStarter } from '../temporal/auth-sessions';
import type { StoredUpdate } from './intake';
import { createLoginAnswers, parseAnswer } from './login-answers';
import { createLoginConversation, type Opening } from './login-conversation';
import { createMessageTaps } from './message-taps';
import type { Messenger } from './messenger';
import { PlatformError } from './platform-error';
import { botTexts } from './texts';
import { withWelcome } from './welcome';
import type { BotUser, Incoming } from './updates';

export type ConversationDeps = Pick<Core, 'pool' | 'config' | 'cipher' | 'messengers' | 'log'> & {
  starter: SessionStarter;
};

/** What the bot does with each update. An update that throws is handled again later; each step bears that. */
export function createConversation(deps: ConversationDeps): (update: StoredUpdate) => Promise<void> {
  const { pool, config, messengers, log } = deps;
  const login = createLoginConversation(deps);
  const answerLogin = createLoginAnswers(deps);
  const tapMessage = createMessageTaps(deps);
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  async function open(start: string | null, opening: Opening): Promise<void> {
    const texts = botTexts[opening.user.lang];
    if (start === null) return say(opening, texts.help);
    const parameter = parseStartParameter(start);
    if (parameter.kind === 'session') return login.openSession(parameter.token, opening);
    if (parameter.kind === 'static') return login.openStatic(parameter.slug, opening);
    if (parameter.kind === 'subscribe') return subscribeTo(parameter.slug, opening);
    return say(opening, texts.unknownLink);
  }

  async function subscribeTo(slug: string, opening: Opening): Promise<void> {
    const texts = botTexts[opening.user.lang];
    const project = await findProjectBySlug(pool, slug);
    if (!project?.active) return say(opening, texts.unknownLink);
    const { user, chatId, messenger } = opening;
    await withTransaction(pool, (db) =>
      subscribe(
        db,
        project.id,
        {
          channel: messenger.channel,
          platform_user_id: user.id,
          chat_id: chatId,
          first_name: user.firstName,
          username: user.username,
          lang: user.lang,
        },
        format,
      ),
    );
    await say(opening, withWelcome(texts.subscribed(project.name), project, user.lang));
  }

  async function stop({ messenger, chatId, user }: Opening): Promise<void> {
    const texts = botTexts[user.lang];
    const projects = await withTransaction(pool, (db) =>
      unsubscribeAll(db, messenger.channel, user.id, format),
    );
    const text = projects.length > 0 ? texts.unsubscribed(projects) : texts.nothingToUnsubscribe;
    await messenger.send(chatId, { text });
  }

  async function tapped(
    update: StoredUpdate,
    opening: Opening,
    incoming: Extract<Incoming, { kind: 'tap' }>,
  ): Promise<void> {
    const answer = parseAnswer(incoming.data);
    const { callbackId, messageId } = incoming;
    if (!answer) {
      await tapMessage({ ...opening, receivedAt: update.receivedAt, messageId }, incoming.data);
      await opening.messenger.answerTap(callbackId).catch(() => undefined);
      return;
    }
    await answerLogin(
      { ...opening, receivedAt: update.receivedAt, callbackId, messageId },
      answer.answer,
      answer.nonce,
    );
  }

  async function handle(update: StoredUpdate, messenger: Messenger, user: BotUser): Promise<void> {
    const { parsed } = update;
    const { incoming } = parsed;
    const opening = { updateId: update.id, messenger, chatId: parsed.chatId, user };
    if (incoming.kind === 'blocked') {
      return withTransaction(pool, (db) => markBlocked(db, messenger.channel, user.id, format));
    }
    if (incoming.kind === 'unblocked') {
      return withTransaction(pool, (db) => markUnblocked(db, messenger.channel, user.id, format));
    }
    if (incoming.kind === 'tap') return tapped(update, opening, incoming);
    // Groups see everything that a bot says: logins and subscriptions are for private chats only.
    if (!parsed.private) return;
    if (incoming.kind === 'open') {
      // Whoever opens the bot has not blocked it: MAX tells of an unblock in no other way.
      await withTransaction(pool, (db) => markUnblocked(db, messenger.channel, user.id, format));
      return open(incoming.start, opening);
    }
    if (incoming.kind === 'stop') return stop(opening);
    if (incoming.kind === 'text') return say(opening, botTexts[user.lang].notUnderstood);
  }

  return async (update) => {
    const { channel, user } = update.parsed;
    const messenger = messengers.get(channel);
    if (!messenger) throw new Error(`the bot of ${channel} is not connected yet`);
    if (!user) return;
    try {
      await handle(update, messenger, user);
    } catch (error) {
      if (!(error instanceof PlatformError) || error.retryable) throw error;
      // The platform will not have it: trying again would change nothing.
      log.info({ update_id: update.id, channel, reason: error.reason }, 'an answer of the bot was refused');
      if (error.reason === 'user_blocked_bot') {
        await withTransaction(pool, (db) => markBlocked(db, channel, user.id, format));
      }
    }
  };
}

async function say({ messenger, chatId }: Opening, text: string): Promise<void> {
  await messenger.send(chatId, { text });
}
