import type { Button, OutgoingMessage } from '../bots';
import type { MessageContent } from './contract';

/**
 * Telegram limits a button's data to 64 bytes, and clients can forge it. So a button carries a reference to its message
 * and its index there, `b:<message id>:<index>`, and the data itself stays in the database.
 */
const REFERENCE = /^b:([0-9a-f]{32}):([0-8])$/;

export function buttonReference(messageId: string, index: number): string {
  return `b:${messageId.replaceAll('-', '')}:${index}`;
}

/** Which button of which message was tapped. */
export interface ButtonReference {
  messageId: string;
  index: number;
}

export function parseButtonReference(data: string): ButtonReference | null {
  const [, hex, index] = REFERENCE.exec(data) ?? [];
  if (hex === undefined) return null;
  const messageId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { messageId, index: Number(index) };
}

/** The button at `index`, counted over all rows, with its text before it was rendered; null if it has no data. */
export function buttonAt({ buttons }: MessageContent, index: number): { data: string; given: string } | null {
  const button = buttons.flat()[index];
  if (button?.data === undefined) return null;
  return { data: button.data, given: button.given ?? button.text };
}

/** The message to hand to a messenger, with references as button data. */
export function outgoing(content: MessageContent, messageId: string): OutgoingMessage {
  let index = -1;
  const buttons = content.buttons.map((row) =>
    row.map(({ text, url }): Button => {
      index += 1;
      return url === undefined ? { text, data: buttonReference(messageId, index) } : { text, url };
    }),
  );
  return {
    text: content.text,
    format: content.format,
    ...(buttons.length > 0 ? { buttons } : {}),
    ...(content.media ? { media: content.media } : {}),
  };
}
