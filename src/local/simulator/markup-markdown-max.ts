import type { Entity, Formatted } from './formatted';

const MARKS: ReadonlyArray<[mark: string, type: string]> = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strikethrough'],
  ['++', 'underline'],
  ['^^', 'highlighted'],
  ['*', 'italic'],
  ['_', 'italic'],
  ['`', 'code'],
];

/** MAX's Markdown, in which an unmatched mark is a plain character. */
export function parseMaxMarkdown(source: string): Formatted {
  const entities: Entity[] = [];
  let text = '';

  const wrap = (inner: Formatted, entity: Omit<Entity, 'offset' | 'length'>) => {
    const base = text.length;
    entities.push({ ...entity, offset: base, length: inner.text.length });
    for (const each of inner.entities) entities.push({ ...each, offset: each.offset + base });
    text += inner.text;
  };

  for (let i = 0; i < source.length;) {
    const rest = source.slice(i);
    const escaped = /^\\([\\`*_~+^[\]()#])/.exec(rest);
    const link = /^\[([^\]\n]+)\]\(([^)\s]+)\)/.exec(rest);
    const heading = i === 0 || source.charAt(i - 1) === '\n' ? /^#{1,6} +(.+)/.exec(rest) : null;
    const pair = pairAt(source, i);
    if (escaped) {
      text += escaped[1] ?? '';
      i += 2;
    } else if (link) {
      wrap(parseMaxMarkdown(link[1] ?? ''), { type: 'text_link', url: link[2] ?? '' });
      i += link[0].length;
    } else if (heading) {
      wrap(parseMaxMarkdown(heading[1] ?? ''), { type: 'heading' });
      i += heading[0].length;
    } else if (pair) {
      const content = source.slice(i + pair.mark.length, pair.end);
      const inner = pair.type === 'code' ? { text: content, entities: [] } : parseMaxMarkdown(content);
      wrap(inner, { type: pair.type });
      i = pair.end + pair.mark.length;
    } else {
      text += source.charAt(i);
      i += 1;
    }
  }
  return { text, entities };
}

function pairAt(source: string, i: number): { mark: string; type: string; end: number } | null {
  const known = MARKS.find(([mark]) => source.startsWith(mark, i));
  if (!known) return null;
  const [mark, type] = known;
  const start = i + mark.length;
  // An underscore inside a word is not a mark: user_name_1.
  const inWord = mark.startsWith('_') && /[\p{L}\p{N}]/u.test(source.charAt(i - 1));
  if (inWord || /^\s|^$/.test(source.charAt(start))) return null;
  let end = source.indexOf(mark, start + 1);
  while (end > 0 && source.charAt(end - 1) === '\\') end = source.indexOf(mark, end + 1);
  return end < 0 || /\s/.test(source.charAt(end - 1)) ? null : { mark, type, end };
}
