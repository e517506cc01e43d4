import type { Channel } from '../contract/common';

/** A token becomes part of a URL (Telegram) or a header (MAX), so nothing else may be in it. The messenger refuses what is too short. */
const patterns: Record<Channel, RegExp> = {
  telegram: /^\d{1,16}:[A-Za-z0-9_-]{1,128}$/,
  max: /^[A-Za-z0-9_.~+/=:-]{10,256}$/,
};

export function isBotToken(channel: Channel, token: string): boolean {
  return patterns[channel].test(token);
}
