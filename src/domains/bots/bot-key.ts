import type { Channel } from '../../base/contract/common';

/**
 * Identifies a bot in the pace tables, `bot_offsets` and `bot_webhooks`. The shared bot of a channel has the channel's
 * name; a project's own bot has the platform's id too, so that a new token does not make it another bot.
 */
export function sharedBotKey(channel: Channel): string {
  return channel;
}

export function ownBotKey(channel: Channel, botId: number): string {
  return `${channel}:${botId}`;
}

/** The key as stored in columns `bot`, where NULL means the shared bot. */
export function storedBotKey({ channel, bot }: { channel: Channel; bot: string }): string | null {
  return bot === sharedBotKey(channel) ? null : bot;
}
