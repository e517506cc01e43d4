import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const LETTER_U = 0x75;

/** `"__proto__"`, which JavaScript objects would drop, with or without escapes. */
const DROPPED_NAME =
  /^"(?:_|\\u005[fF]){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006[fF])(?:t|\\u0074)(?:o|\\u006[fF])(?:_|\\u005[fF]){2}"$/;
const NUL = '\\u0000';
const ESCAPE_LENGTH = '\\u005f'.length;

/** A list or an object that the scan is in. */
interface Frame {
  isList: boolean;
  /** Of the item or field that the scan is at, from 0. */
  index: number;
  /** The name of that field as it stands in the source, in quotes; null before it. */
  name: string | null;
}

/**
 * Refuses JSON that cannot be stored: text with NUL (PostgreSQL) or an unpaired surrogate (UTF-8), the name `__proto__`, and
 * more depth, names or values than any request needs, which would take long to parse. One pass over the source, before it is
 * parsed; a path is built only for what is refused. Other faults are left to the parser.
 */
export function refuseUnstorable(json: string): void {
  const frames: Frame[] = [];
  let frame: Frame | undefined;
  let values = 0;
  let escape = -1;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      if (escape < at) escape = nextOf(json, '\\', at);
      const end = endOfString(json, at + 1, escape);
      if (end < 0) throw refusal(pathText(frames), 'contains a character that is not allowed');
      if (frame && !frame.isList && !frame.name) {
        frame.name = json.slice(at, end + 1);
        if (DROPPED_NAME.test(frame.name)) throw refusal(pathText(frames), 'cannot be used as a name');
      }
      at = end;
    } else if (code === COMMA && frame) {
      frame.index += 1;
      frame.name = null;
      values += 1;
      if (!frame.isList && frame.index >= limits.json.fields) {
        throw refusal(pathText(frames.slice(0, -1)), `can have up to ${limits.json.fields} fields`);
      }
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (frames.length === limits.json.depth) {
        throw refusal('', `can be nested up to ${limits.json.depth} deep`);
      }
      frame = { isList: code === OPEN_LIST, index: 0, name: null };
      frames.push(frame);
      values += 1;
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      frames.pop();
      frame = frames.at(-1);
    }
    if (values > limits.json.values) throw refusal('', `can have up to ${limits.json.values} values`);
  }
}

/** The length if there is none. */
function nextOf(json: string, character: string, from: number): number {
  const found = json.indexOf(character, from);
  return found < 0 ? json.length : found;
}

function refusal(path: string, text: string): AppError {
  return new AppError('validation_failed', `${path || 'body'}: ${text}`);
}

/** The index of the closing quote; the length if there is none; -1 if the string cannot be stored. */
function endOfString(json: string, start: number, firstEscape: number): number {
  const quote = nextOf(json, '"', start);
  if (quote <= firstEscape) return quote;
  // The decoder of the body has left no NUL and no unpaired surrogate, so only escapes can be one.
  let isHalf = false;
  for (let at = firstEscape; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    const kind = code === BACKSLASH ? kindOfEscape(json, at) : 'other';
    if (kind === 'nul' || isHalf !== (kind === 'second half')) return -1;
    if (code === QUOTE) return at;
    isHalf = kind === 'first half';
    if (code === BACKSLASH) at += json.charCodeAt(at + 1) === LETTER_U ? ESCAPE_LENGTH - 1 : 1;
  }
  return json.length;
}

function kindOfEscape(json: string, at: number): 'nul' | 'first half' | 'second half' | 'other' {
  if (json.charCodeAt(at + 1) !== LETTER_U) return 'other';
  const digit = json.charAt(at + 2);
  if (digit === '0') return json.startsWith(NUL, at) ? 'nul' : 'other';
  if (digit !== 'd' && digit !== 'D') return 'other';
  const second = json.charAt(at + 3);
  return second < '8' ? 'other' : /[89ab]/i.test(second) ? 'first half' : 'second half';
}

function decoded(name: string): string {
  try {
    return JSON.parse(name) as string;
  } catch {
    return name;
  }
}

/** `messages[1].text` */
function pathText(frames: Frame[]): string {
  return frames
    .map(({ isList, index, name }, depth) => {
      if (isList) return `[${index}]`;
      return name === null ? '' : `${depth > 0 ? '.' : ''}${decoded(name)}`;
    })
    .join('');
}
