import type { ChatButton } from './chats';
import { badRequest } from './telegram-shapes';

/** Parameters of a call. Form values are text, so objects may be JSON strings. */
export type Params = Record<string, unknown>;

export function textParam(params: Params, name: string): string | null {
  const value = params[name];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw badRequest(`field "${name}" must be a string`);
}

export function numberParam(params: Params, name: string, fallback: number): number {
  const text = textParam(params, name);
  if (text === null || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value)) throw badRequest(`field "${name}" must be a number`);
  return value;
}

export function flagParam(params: Params, name: string): boolean {
  return ['true', '1', 'yes'].includes(textParam(params, name)?.toLowerCase() ?? '');
}

export function jsonParam(params: Params, name: string): unknown {
  const value = params[name];
  if (typeof value !== 'string') return value ?? null;
  if (value === '') return null;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    throw badRequest(`can't parse ${name} JSON object`);
  }
}

export function chatIdParam(params: Params): number {
  const text = textParam(params, 'chat_id');
  if (text === null || text === '') throw badRequest('chat_id is empty');
  const id = Number(text);
  if (!Number.isInteger(id)) throw badRequest('chat not found');
  return id;
}

const MAX_CALLBACK_DATA_BYTES = 64;
const MAX_BUTTONS = 100;

/** The inline keyboard of `reply_markup`; empty if absent. */
export function keyboardParam(params: Params): ChatButton[][] {
  const markup = jsonParam(params, 'reply_markup');
  if (markup === null) return [];
  if (typeof markup !== 'object') throw badRequest("can't parse reply keyboard markup JSON object");
  const rows: unknown = (markup as { inline_keyboard?: unknown }).inline_keyboard;
  if (rows === undefined) return [];
  if (!Array.isArray(rows) || !rows.every(Array.isArray)) {
    throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup should be an Array of Arrays');
  }
  const keyboard = (rows as unknown[][]).map((row) => row.map(button)).filter((row) => row.length > 0);
  if (keyboard.flat().length > MAX_BUTTONS) throw badRequest('reply markup is too long');
  return keyboard;
}

function button(value: unknown): ChatButton {
  const { text, callback_data: data, url } = (value ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string' || text === '') {
    throw badRequest('can\'t parse inline keyboard button: Field "text" must be a non-empty String');
  }
  if (typeof url === 'string') {
    if (!isButtonUrl(url)) throw badRequest(`inline keyboard button URL '${url}' is invalid: Wrong HTTP URL`);
    return { text, url };
  }
  if (data === undefined) {
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  }
  const size = typeof data === 'string' ? Buffer.byteLength(data) : 0;
  if (typeof data !== 'string' || size < 1 || size > MAX_CALLBACK_DATA_BYTES) {
    throw badRequest('BUTTON_DATA_INVALID');
  }
  return { text, data };
}

function isButtonUrl(url: string): boolean {
  return URL.canParse(url) && ['http:', 'https:', 'tg:'].includes(new URL(url).protocol);
}
