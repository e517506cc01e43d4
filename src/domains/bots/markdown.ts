import { escapeHtml } from '../../base/contract/escape-html';
import { isEscaped } from '../../base/lib/is-escaped';

/**
 * Converts the Markdown that projects may use, which is MAX's own dialect, to HTML as Telegram takes it. Telegram's
 * MarkdownV2 would reject a whole message for one unescaped full stop; this converter rejects nothing and treats an unmatched
 * mark as a plain character.
 *
 * It takes time in proportion to the length: every search for an end looks into a table that is built once, and the
 * inside of a pair is converted by the call that found the pair.
 */
export function markdownToHtml(source: string): string {
  return convert({ source, find: createFinder(source) }, 0, source.length);
}

/** Where something ends, judged by the characters around the position alone. */
type Target = (source: string, at: number) => boolean;

interface Text {
  source: string;
  /** The first position from `from` on that the target accepts; -1 if there is none. */
  find(target: Target, from: number): number;
}

interface Piece {
  html: string;
  end: number;
}

interface Mark {
  mark: string;
  tag: string;
  closing: Target;
}

const WORD = /[\p{L}\p{N}]/u;
/** The characters that can begin something other than plain text. */
const SPECIAL = '\\`[*_~+';
const ESCAPABLE = '\\`*_~+[]()#';
const FENCE = '```';
const LANGUAGE = /[\w+-]*\n/y;
const SCHEME = /(?:https?|tg|mailto):/iy;

const marks: readonly Mark[] = [
  markOf('**', 'b'),
  markOf('__', 'b'),
  markOf('~~', 's'),
  markOf('++', 'u'),
  markOf('*', 'i'),
  markOf('_', 'i'),
];

const special: Target = (source, at) => SPECIAL.includes(source.charAt(at));
const fence: Target = (source, at) => source.startsWith(FENCE, at);
const codeEnd: Target = (source, at) => '`\n'.includes(source.charAt(at));
const labelEnd: Target = (source, at) =>
  source.charAt(at) === '\n' || (source.charAt(at) === ']' && !isEscaped(source, at));
const addressEnd: Target = (source, at) => source.charAt(at) === ')' || isSpace(source.charAt(at));

function markOf(mark: string, tag: string): Mark {
  return {
    mark,
    tag,
    closing(source, at) {
      if (!source.startsWith(mark, at)) return false;
      const before = source.charAt(at - 1);
      const after = source.charAt(at + mark.length);
      // No space may separate a mark from its text, so `2 * 3 * 4` has no marks.
      if (isSpace(before) || isEscaped(source, at)) return false;
      if (mark.startsWith('_') && WORD.test(after)) return false;
      // A single mark does not match half of a double one: *a **b** c*.
      return mark.length > 1 || (after !== mark && before !== mark);
    },
  };
}

/** Each target's positions are collected on its first search, from the end of the text. */
function createFinder(source: string): Text['find'] {
  const tables = new Map<Target, Int32Array>();
  function tableOf(target: Target): Int32Array {
    const table = new Int32Array(source.length + 1).fill(-1);
    for (let at = source.length - 1; at >= 0; at -= 1) {
      table[at] = target(source, at) ? at : (table[at + 1] ?? -1);
    }
    tables.set(target, table);
    return table;
  }
  return (target, from) => (tables.get(target) ?? tableOf(target))[from] ?? -1;
}

function convert(text: Text, from: number, to: number): string {
  let html = '';
  for (let at = from; at < to;) {
    const piece = pieceAt(text, at, to);
    html += piece.html;
    at = piece.end;
  }
  return html;
}

function pieceAt(text: Text, at: number, to: number): Piece {
  const { source, find } = text;
  const next = find(special, at);
  const plainEnd = next < 0 || next > to ? to : next;
  if (plainEnd > at) return { html: escapeHtml(source.slice(at, plainEnd)), end: plainEnd };
  return specialAt(text, source.charAt(at), at, to) ?? { html: source.charAt(at), end: at + 1 };
}

function specialAt(text: Text, char: string, at: number, to: number): Piece | null {
  switch (char) {
    case '\\':
      return escapedAt(text, at, to);
    case '`':
      return fencedAt(text, at, to) ?? codeAt(text, at, to);
    case '[':
      return linkAt(text, at, to);
    case '*':
    case '_':
    case '~':
    case '+':
      return pairAt(text, at, to);
    default:
      return null;
  }
}

function escapedAt({ source }: Text, at: number, to: number): Piece | null {
  const next = at + 1;
  if (next >= to || !ESCAPABLE.includes(source.charAt(next))) return null;
  return { html: escapeHtml(source.charAt(next)), end: next + 1 };
}

function fencedAt({ source, find }: Text, at: number, to: number): Piece | null {
  if (!source.startsWith(FENCE, at)) return null;
  const end = find(fence, at + FENCE.length);
  if (end < 0 || end + FENCE.length > to) return null;
  LANGUAGE.lastIndex = at + FENCE.length;
  const start = LANGUAGE.test(source) ? LANGUAGE.lastIndex : at + FENCE.length;
  return { html: `<pre>${escapeHtml(source.slice(start, end))}</pre>`, end: end + FENCE.length };
}

function codeAt({ source, find }: Text, at: number, to: number): Piece | null {
  const end = find(codeEnd, at + 1);
  if (end <= at + 1 || end >= to || source.charAt(end) !== '`') return null;
  return { html: `<code>${escapeHtml(source.slice(at + 1, end))}</code>`, end: end + 1 };
}

function linkAt(text: Text, at: number, to: number): Piece | null {
  const { source, find } = text;
  const label = find(labelEnd, at + 1);
  if (label <= at + 1 || !source.startsWith('](', label)) return null;
  const start = label + 2;
  SCHEME.lastIndex = start;
  if (!SCHEME.test(source)) return null;
  const end = find(addressEnd, SCHEME.lastIndex);
  if (end <= SCHEME.lastIndex || end >= to || source.charAt(end) !== ')') return null;
  const href = escapeHtml(source.slice(start, end));
  return { html: `<a href="${href}">${convert(text, at + 1, label)}</a>`, end: end + 1 };
}

function pairAt(text: Text, at: number, to: number): Piece | null {
  const { source, find } = text;
  const found = marks.find(({ mark }) => at + mark.length <= to && source.startsWith(mark, at));
  if (!found) return null;
  const { mark, tag, closing } = found;
  // An underscore inside a word is not a mark: user_name_1.
  if (mark.startsWith('_') && WORD.test(source.charAt(at - 1))) return null;
  const start = at + mark.length;
  if (start >= to || isSpace(source.charAt(start))) return null;
  const end = find(closing, start + 1);
  if (end < 0 || end + mark.length > to) return null;
  return { html: `<${tag}>${convert(text, start, end)}</${tag}>`, end: end + mark.length };
}

function isSpace(char: string): boolean {
  return /^\s$/.test(char);
}
