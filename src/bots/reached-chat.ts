import type { Channel } from '../contract/common';
import { sharedBotKey } from './bot-key';

interface Recipient {
  channel: Channel;
  bot: string | null;
  chat_id: string;
  platform_user_id: string;
}

/**
 * Where a bot writes to a subscriber. The chat is known for the bot through which they came; another bot can only address
 * the user. On Telegram a private chat has the user's id.
 */
export function reachedChat(
  { channel, bot, chat_id, platform_user_id }: Recipient,
  sendingBot: string,
): string {
  if ((bot ?? sharedBotKey(channel)) === sendingBot) return chat_id;
  return channel === 'max' ? `user:${platform_user_id}` : platform_user_id;
}
