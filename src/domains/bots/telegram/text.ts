import { markdownToHtml } from '../markdown';
import type { OutgoingMessage } from '../messenger';

/** Telegram's limit for the text of a media message, in UTF-16 units after parsing. */
const CAPTION_LENGTH = 1024;

export function convertText({ text, format }: Pick<OutgoingMessage, 'text' | 'format'>): string | undefined {
  return format === 'markdown' ? markdownToHtml(text) : undefined;
}

/** The source is never shorter than what Telegram counts, which is the text without its markup. */
export function callsOf({ text, media }: Pick<OutgoingMessage, 'text' | 'media'>): 1 | 2 {
  return media !== undefined && text.length > CAPTION_LENGTH ? 2 : 1;
}
