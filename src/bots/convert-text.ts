import type { Channel } from '../contract/common';
import type { OutgoingMessage } from './messenger';
import { markdownToTelegramHtml } from './telegram/markdown';

/** Telegram's limit for the text of a media message, in UTF-16 units after parsing. */
const CAPTION_LENGTH = 1024;

/**
 * Converts a text to the channel's markup, once for all recipients of a message. Undefined if the channel takes it as
 * it is.
 */
export function convertText(
  channel: Channel,
  { text, format }: Pick<OutgoingMessage, 'text' | 'format'>,
): string | undefined {
  return channel === 'telegram' && format === 'markdown' ? markdownToTelegramHtml(text) : undefined;
}

/**
 * How many calls of the platform a message takes: two where the text is too long for a caption and follows its media.
 * The source is never shorter than what the platform counts, which is the text without its markup.
 */
export function callsOf(channel: Channel, { text, media }: Pick<OutgoingMessage, 'text' | 'media'>): 1 | 2 {
  return channel === 'telegram' && media !== undefined && text.length > CAPTION_LENGTH ? 2 : 1;
}
