import { type Chat, type ChatHandlers, botTexts, withWelcome } from '../bots';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { findProjectBySlug } from '../projects';
import type { Project } from '../projects/contract';
import { openLink } from './links';
import {
  markBlocked,
  markUnblocked,
  subscribe,
  unsubscribeAll,
  type MessengerUser,
} from './queries/subscriptions';

/** Handles the `proj_` link, /stop, and users who block or unblock the bot. */
export function subscriberChat({ pool, config }: Pick<Core, 'pool' | 'config'>): ChatHandlers {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  async function subscribeTo(slug: string, chat: Chat): Promise<void> {
    const { user, chatId, messenger } = chat;
    const texts = botTexts[user.lang];
    const project = await findProjectBySlug(pool, slug);
    if (!project?.active) {
      await messenger.send(chatId, { text: texts.unknownLink });
      return;
    }
    await withTransaction(pool, (db) => subscribe(db, project.id, userOf(chat), format));
    await welcome(project, chat);
  }

  async function subscribeByLink(token: string, chat: Chat): Promise<void> {
    const project = await openLink(pool, token, userOf(chat), { updateId: chat.updateId, format });
    if (project) return welcome(project, chat);
    await chat.messenger.send(chat.chatId, { text: botTexts[chat.user.lang].unknownLink });
  }

  return {
    links: { subscribe: subscribeTo, link: subscribeByLink },
    async stop({ messenger, chatId, user }) {
      const texts = botTexts[user.lang];
      const projects = await withTransaction(pool, (db) =>
        unsubscribeAll(db, messenger.channel, user.id, format),
      );
      const text = projects.length > 0 ? texts.unsubscribed(projects) : texts.nothingToUnsubscribe;
      await messenger.send(chatId, { text });
    },
    blocked: ({ messenger, user }) =>
      withTransaction(pool, (db) => markBlocked(db, messenger.channel, user.id, format)),
    unblocked: ({ messenger, user }) =>
      withTransaction(pool, (db) => markUnblocked(db, messenger.channel, user.id, format)),
  };
}

function userOf({ messenger, user, chatId }: Chat): MessengerUser {
  return {
    channel: messenger.channel,
    platform_user_id: user.id,
    chat_id: chatId,
    first_name: user.firstName,
    username: user.username,
    lang: user.lang,
  };
}

async function welcome(project: Project, { messenger, chatId, user }: Chat): Promise<void> {
  const text = withWelcome(botTexts[user.lang].subscribed(project.name), project, user.lang);
  await messenger.send(chatId, { text });
}
