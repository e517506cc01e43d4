import type { Channel } from '../contract/common';
import type { OutgoingMessage } from './messenger';

/** Telegram's limit for the text of a media message. */
const CAPTION_LENGTH = 1024;

/** How many calls of the platform a message takes: two where the text is too long for a caption and follows its media. */
export function callsOf(channel: Channel, { text, media }: Pick<OutgoingMessage, 'text' | 'media'>): 1 | 2 {
  return channel === 'telegram' && media !== undefined && text.length > CAPTION_LENGTH ? 2 : 1;
}
