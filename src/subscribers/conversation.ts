import { type Chat, type ChatHandlers, botTexts, withWelcome } from '../bots';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { findProjectBySlug } from '../projects';
import { markBlocked, markUnblocked, subscribe, unsubscribeAll } from './queries/subscriptions';

/** Handles the `proj_` link, /stop, and users who block or unblock the bot. */
export function subscriberChat({ pool, config }: Pick<Core, 'pool' | 'config'>): ChatHandlers {
  const format = config.HERALD_SUBSCRIBER_ID_FORMAT;

  async function subscribeTo(slug: string, { user, chatId, messenger }: Chat): Promise<void> {
    const texts = botTexts[user.lang];
    const project = await findProjectBySlug(pool, slug);
    if (!project?.active) {
      await messenger.send(chatId, { text: texts.unknownLink });
      return;
    }
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
    await messenger.send(chatId, { text: withWelcome(texts.subscribed(project.name), project, user.lang) });
  }

  return {
    links: { subscribe: subscribeTo },
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
