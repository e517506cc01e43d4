import { byteOffset, MarkupError, type Entity, type Formatted } from './formatted';

interface OpenMark {
  mark: string;
  type: string;
  name: string;
  offset: number;
  at: number;
}

/** Longest first: `__` is underline, not italic twice. */
const MARKS: ReadonlyArray<[mark: string, type: string, name: string]> = [
  ['__', 'underline', 'Underline'],
  ['||', 'spoiler', 'Spoiler'],
  ['*', 'bold', 'Bold'],
  ['_', 'italic', 'Italic'],
  ['~', 'strikethrough', 'Strikethrough'],
];
const RESERVED = '_*[]()~`>#+-=|{}.!';

/** Telegram's MarkdownV2, in which every reserved character must be part of markup or escaped. */
export function parseMarkdownV2(source: string): Formatted {
  const entities: Entity[] = [];
  const open: OpenMark[] = [];
  let text = '';
  let i = 0;

  const unfinished = (mark: OpenMark) =>
    new MarkupError(`Can't find end of ${mark.name} entity at byte offset ${byteOffset(source, mark.at)}`);

  while (i < source.length) {
    const rest = source.slice(i);
    const char = source.charAt(i);
    if (char === '\\' && /^\\[\x01-\x7e]/.test(rest)) {
      text += source.charAt(i + 1);
      i += 2;
      continue;
    }
    if (char === '`') {
      const code = readCode(source, i);
      entities.push({ type: code.type, offset: text.length, length: code.text.length });
      text += code.text;
      i = code.end;
      continue;
    }
    if (char === '>' && (i === 0 || source.charAt(i - 1) === '\n')) {
      i += 1;
      continue;
    }
    if (char === '[') {
      open.push({ mark: '[', type: 'text_link', name: 'TextUrl', offset: text.length, at: i });
      i += 1;
      continue;
    }
    const top = open.at(-1);
    if (char === ']' && top?.mark === '[') {
      const link = /^\]\(((?:\\.|[^\\)])*)\)/.exec(rest);
      if (!link) throw unfinished(top);
      open.pop();
      const url = (link[1] ?? '').replace(/\\(.)/g, '$1');
      entities.push({ type: 'text_link', offset: top.offset, length: text.length - top.offset, url });
      i += link[0].length;
      continue;
    }
    const known = MARKS.find(([mark]) => rest.startsWith(mark));
    if (known) {
      const [mark, type, name] = known;
      if (top?.mark === mark) {
        open.pop();
        entities.push({ type, offset: top.offset, length: text.length - top.offset });
      } else if (top && open.some((each) => each.mark === mark)) {
        throw unfinished(top);
      } else {
        open.push({ mark, type, name, offset: text.length, at: i });
      }
      i += mark.length;
      continue;
    }
    if (RESERVED.includes(char)) {
      throw new MarkupError(`Character '${char}' is reserved and must be escaped with the preceding '\\'`);
    }
    text += char;
    i += 1;
  }
  const left = open.at(-1);
  if (left) throw unfinished(left);
  return { text, entities };
}

function readCode(source: string, at: number): { type: 'code' | 'pre'; text: string; end: number } {
  const fence = source.startsWith('```', at) ? '```' : '`';
  const name = fence === '`' ? 'Code' : 'Pre';
  let text = '';
  for (let i = at + fence.length; i < source.length; i += 1) {
    if (source.startsWith(fence, i)) {
      if (fence === '`') return { type: 'code', text, end: i + 1 };
      return { type: 'pre', text: text.replace(/^[\w+#-]*\n/, ''), end: i + 3 };
    }
    if (source.charAt(i) === '\\' && i + 1 < source.length) i += 1;
    text += source.charAt(i);
  }
  throw new MarkupError(`Can't find end of ${name} entity at byte offset ${byteOffset(source, at)}`);
}

/** Telegram's legacy Markdown: four marks, no nesting. */
export function parseMarkdown(source: string): Formatted {
  const entities: Entity[] = [];
  let text = '';
  let i = 0;
  const types: Record<string, string> = { '*': 'bold', _: 'italic', '`': 'code', '```': 'pre' };
  while (i < source.length) {
    const char = source.charAt(i);
    if (char === '\\' && '_*`['.includes(source.charAt(i + 1)) && i + 1 < source.length) {
      text += source.charAt(i + 1);
      i += 2;
      continue;
    }
    const link = char === '[' ? /^\[([^\]]*)\]\(([^)]*)\)/.exec(source.slice(i)) : null;
    if (link) {
      const label = link[1] ?? '';
      entities.push({ type: 'text_link', offset: text.length, length: label.length, url: link[2] ?? '' });
      text += label;
      i += link[0].length;
      continue;
    }
    const mark = source.startsWith('```', i) ? '```' : char;
    const type = types[mark];
    if (type !== undefined) {
      const end = source.indexOf(mark, i + mark.length);
      if (end < 0) {
        throw new MarkupError(
          `Can't find end of the entity starting at byte offset ${byteOffset(source, i)}`,
        );
      }
      const content = source.slice(i + mark.length, end);
      entities.push({ type, offset: text.length, length: content.length });
      text += content;
      i = end + mark.length;
      continue;
    }
    text += char;
    i += 1;
  }
  return { text, entities };
}
