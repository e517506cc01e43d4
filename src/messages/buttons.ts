import type { Button, OutgoingMessage } from '../bots';
import type { MessageContent } from './contract';

/**
 * Telegram gives a button 64 bytes for its data, and whoever likes can forge them. So a button carries a reference to
 * its message and its place there: `b:<delivery id>:<place>`; the data itself stays with the message.
 */
const REFERENCE = /^b:([0-9a-f]{32}):([0-8])$/;

export function buttonReference(deliveryId: string, place: number): string {
  return `b:${deliveryId.replaceAll('-', '')}:${place}`;
}

/** Which button of which message was tapped. */
export interface ButtonReference {
  deliveryId: string;
  place: number;
}

export function parseButtonReference(data: string): ButtonReference | null {
  const [, hex, place] = REFERENCE.exec(data) ?? [];
  if (hex === undefined) return null;
  const deliveryId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { deliveryId, place: Number(place) };
}

/** The data of the button at a place, counted over all rows; null where there is none. */
export function buttonDataAt({ buttons }: MessageContent, place: number): string | null {
  return buttons.flat()[place]?.data ?? null;
}

/** A message as a messenger takes it, its buttons carrying references. */
export function outgoing(content: MessageContent, deliveryId: string): OutgoingMessage {
  let place = -1;
  const buttons = content.buttons.map((row) =>
    row.map(({ text, url }): Button => {
      place += 1;
      return url === undefined ? { text, data: buttonReference(deliveryId, place) } : { text, url };
    }),
  );
  return {
    text: content.text,
    format: content.format,
    ...(buttons.length > 0 ? { buttons } : {}),
    ...(content.media ? { media: content.media } : {}),
  };
}
