import { type Chat, platformOf, storedBotKey } from '../bots';
import type { BotUserRef, MessengerUser } from './queries/subscriptions';

/** A user of the bot of this chat. */
export function userOf({ messenger: { channel, bot }, user }: Chat): BotUserRef {
  return { channel, bot, platform_user_id: user.id };
}

export function addressOf({ messenger, user }: Pick<Chat, 'messenger'> & { user: { id: string } }) {
  return {
    channel: messenger.channel,
    platform_user_id: user.id,
    chat_id: platformOf(messenger.channel).chatOf(user.id),
    bot: storedBotKey(messenger),
  };
}

/** As an update describes them. */
export function personOf(chat: Chat): MessengerUser {
  const { firstName, username, lang } = chat.user;
  return { ...addressOf(chat), first_name: firstName, username, lang };
}
