import type { ChatButton, Draft, Media } from './chats';
import { parseMaxText } from './markup';
import { badPayload } from './max-shapes';
import type { Uploads } from './max-uploads';

/** In UTF-16 units. */
const MAX_TEXT = 4000;
const MAX_PAYLOAD = 1024;
const MAX_BUTTON_TEXT = 128;
const MAX_URL = 2048;
const MAX_ROWS = 30;
const MAX_IN_ROW = 7;

const MEDIA_TYPES: Record<string, Media['type']> = { image: 'photo', video: 'video', file: 'document' };

/**
 * Parses a message body. In an edit, absent fields keep their value: no text keeps the text, absent or null attachments
 * keep the attachments, and an empty list removes them.
 */
export function readMessageBody(body: Record<string, unknown>, uploads: Uploads): Partial<Draft> {
  return { ...readText(body), ...readAttachments(body.attachments, uploads) };
}

function readText({ text, format }: Record<string, unknown>): Partial<Draft> {
  if (format !== undefined && format !== null && format !== 'markdown' && format !== 'html') {
    throw badPayload('format: must be one of markdown, html');
  }
  if (text === undefined || text === null) return {};
  if (typeof text !== 'string') throw badPayload('text: must be a string');
  if (text.length > MAX_TEXT) throw badPayload(`text: size must be between 0 and ${MAX_TEXT}`);
  return parseMaxText(text, format ?? null);
}

function readAttachments(list: unknown, uploads: Uploads): Partial<Draft> {
  if (list === undefined || list === null) return {};
  if (!Array.isArray(list)) throw badPayload('attachments: must be a list');
  const result: Pick<Draft, 'buttons' | 'media'> = { buttons: [], media: null };
  let keyboards = 0;
  for (const { type, payload } of list as Array<{ type?: unknown; payload?: Record<string, unknown> }>) {
    const media = typeof type === 'string' ? MEDIA_TYPES[type] : undefined;
    if (type === 'inline_keyboard') {
      keyboards += 1;
      result.buttons = readKeyboard(payload?.buttons);
    } else if (media) {
      result.media = { type: media, ...fileOf(payload ?? {}, uploads) };
    } else {
      throw badPayload(`attachments: unknown type ${String(type)}`);
    }
  }
  if (keyboards > 1) throw badPayload('attachments: only one inline_keyboard is allowed');
  return result;
}

function fileOf(payload: Record<string, unknown>, uploads: Uploads): Pick<Media, 'id' | 'url'> {
  const { url, token, photos } = payload;
  if (typeof url === 'string' && /^https?:\/\//.test(url) && URL.canParse(url)) return { id: url, url };
  const photo = Object.values((photos ?? {}) as Record<string, { token?: unknown }>)[0]?.token;
  const known = uploads.received(token ?? photo);
  if (!known) throw badPayload('attachments: url or token is not valid');
  return { id: known.token, url: known.url };
}

function readKeyboard(rows: unknown): ChatButton[][] {
  if (
    !Array.isArray(rows) ||
    rows.length === 0 ||
    !rows.every((row) => Array.isArray(row) && row.length > 0)
  ) {
    throw badPayload('buttons: must be a list of rows');
  }
  if (rows.length > MAX_ROWS) throw badPayload(`buttons: at most ${MAX_ROWS} rows`);
  if ((rows as unknown[][]).some((row) => row.length > MAX_IN_ROW)) {
    throw badPayload(`buttons: at most ${MAX_IN_ROW} in a row`);
  }
  return (rows as unknown[][]).map((row) => row.map(readButton));
}

function readButton(value: unknown): ChatButton {
  const { type, text, payload, url } = (value ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string' || text.length < 1 || text.length > MAX_BUTTON_TEXT) {
    throw badPayload(`buttons: text size must be between 1 and ${MAX_BUTTON_TEXT}`);
  }
  if (type === 'callback') {
    if (typeof payload !== 'string' || payload.length > MAX_PAYLOAD) {
      throw badPayload(`buttons: payload size must be between 0 and ${MAX_PAYLOAD}`);
    }
    return { text, data: payload };
  }
  if (type !== 'link') throw badPayload(`buttons: type ${String(type)} is not supported`);
  if (typeof url !== 'string' || url.length > MAX_URL || !/^https?:\/\//.test(url) || !URL.canParse(url)) {
    throw badPayload('buttons: url is not valid');
  }
  return { text, url };
}
