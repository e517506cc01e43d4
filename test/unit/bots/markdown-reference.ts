/**
 * The dialect of src/domains/bots/telegram/markdown.ts written down as plainly as possible, and quadratic for it: what the
 * converter must produce for short texts.
 */
const marks: ReadonlyArray<readonly [mark: string, tag: string]> = [
  ['**', 'b'],
  ['__', 'b'],
  ['~~', 's'],
  ['++', 'u'],
  ['*', 'i'],
  ['_', 'i'],
];

const ESCAPED = /^\\([\\`*_~+[\]()#])/;
const FENCE = /^```(?:[\w+-]*\n)?([\s\S]*?)```/;
const CODE = /^`([^`\n]+)`/;
const LINK = /^\[((?:\\[^\n]|[^\\\]\n])+)\]\(((?:https?|tg|mailto):[^)\s]+)\)/i;
const AFTER_BACKSLASH = /(?<!\\)(?:\\\\)*\\$/;
const WORD = /[\p{L}\p{N}]/u;

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

export function referenceHtml(source: string): string {
  let html = '';
  let i = 0;
  while (i < source.length) {
    const { out, used } = nextPiece(source, i);
    html += out;
    i += used;
  }
  return html;
}

interface Piece {
  out: string;
  used: number;
}

function nextPiece(source: string, i: number): Piece {
  const char = source.charAt(i);
  // Fast path: most characters cannot start a mark.
  if (!'\\`[*_~+'.includes(char)) return { out: escapeHtml(char), used: 1 };
  const rest = source.slice(i);
  const escaped = ESCAPED.exec(rest);
  if (escaped) return { out: escapeHtml(escaped[1] ?? ''), used: 2 };
  const fence = FENCE.exec(rest);
  if (fence) return { out: `<pre>${escapeHtml(fence[1] ?? '')}</pre>`, used: fence[0].length };
  const code = CODE.exec(rest);
  if (code) return { out: `<code>${escapeHtml(code[1] ?? '')}</code>`, used: code[0].length };
  const link = LINK.exec(rest);
  if (link) {
    const inner = referenceHtml(link[1] ?? '');
    return { out: `<a href="${escapeHtml(link[2] ?? '')}">${inner}</a>`, used: link[0].length };
  }
  return pairAt(source, i) ?? { out: escapeHtml(char), used: 1 };
}

function pairAt(source: string, i: number): Piece | null {
  const found = marks.find(([mark]) => source.startsWith(mark, i));
  if (!found) return null;
  const [mark, tag] = found;
  // An underscore inside a word is not a mark: user_name_1.
  if (mark.startsWith('_') && WORD.test(source.charAt(i - 1))) return null;
  const start = i + mark.length;
  const end = closingAt(source, mark, start);
  if (end < 0) return null;
  const inner = referenceHtml(source.slice(start, end));
  return { out: `<${tag}>${inner}</${tag}>`, used: end + mark.length - i };
}

/** The index of the closing mark, or -1. No space may separate a mark from its text, so `2 * 3 * 4` has no marks. */
function closingAt(source: string, mark: string, start: number): number {
  if (/^(\s|$)/.test(source.charAt(start))) return -1;
  for (let end = source.indexOf(mark, start + 1); end > 0; end = source.indexOf(mark, end + 1)) {
    const before = source.charAt(end - 1);
    const after = source.charAt(end + mark.length);
    if (AFTER_BACKSLASH.test(source.slice(0, end)) || /\s/.test(before)) continue;
    if (mark.startsWith('_') && WORD.test(after)) continue;
    // A single mark does not match half of a double one: *a **b** c*.
    if (mark.length === 1 && (after === mark || before === mark)) continue;
    return end;
  }
  return -1;
}
