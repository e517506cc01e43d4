import type { Channel } from '../contract/common';

/** Identifies a bot in the pace tables and in `bot_webhooks`. The shared bot of a channel has the channel's name. */
export function botKeyOf(channel: Channel): string {
  return channel;
}
