import { byteOffset, MarkupError, type Entity, type Formatted } from './formatted';

interface Rules {
  /** Maps a tag to its entity type. */
  tags: Record<string, string>;
  /** Reject unknown markup instead of showing it as text. */
  strict: boolean;
}

const COMMON_TAGS = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  del: 'strikethrough',
  a: 'text_link',
  code: 'code',
  pre: 'pre',
};

export const HtmlRules: Record<'telegram' | 'max', Rules> = {
  telegram: {
    strict: true,
    tags: {
      ...COMMON_TAGS,
      strike: 'strikethrough',
      span: 'spoiler',
      'tg-spoiler': 'spoiler',
      'tg-emoji': 'custom_emoji',
      blockquote: 'blockquote',
    },
  },
  max: {
    strict: false,
    tags: { ...COMMON_TAGS, h1: 'heading', mark: 'highlighted', blockquote: 'blockquote' },
  },
};

interface OpenTag {
  name: string;
  at: number;
  offset: number;
  url: string | null;
}

const TAG = /^<(\/?)([a-z][a-z0-9-]*)((?:\s+[a-z-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*>/i;
const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"' };

export function parseHtml(source: string, { tags, strict }: Rules): Formatted {
  const entities: Entity[] = [];
  const open: OpenTag[] = [];
  let text = '';
  let i = 0;

  const close = (tag: OpenTag) => {
    const url = tag.name === 'a' ? (tag.url ?? text.slice(tag.offset)) : null;
    const type = tags[tag.name] ?? tag.name;
    entities.push({
      type,
      offset: tag.offset,
      length: text.length - tag.offset,
      ...(url !== null && { url }),
    });
  };

  while (i < source.length) {
    const char = source.charAt(i);
    if (char === '&') {
      const [decoded, length] = decodeEntity(source, i);
      text += decoded;
      i += length;
      continue;
    }
    if (char !== '<') {
      text += char;
      i += 1;
      continue;
    }
    const match = TAG.exec(source.slice(i));
    const name = match?.[2]?.toLowerCase() ?? '';
    const ending = match?.[1] === '/';
    const top = open.at(-1);
    if (match && ending && top?.name === name) {
      open.pop();
      close(top);
    } else if (match && !ending && tags[name] !== undefined) {
      open.push({ name, at: i, offset: text.length, url: hrefOf(match[3] ?? '') });
    } else if (strict) {
      throw htmlError(source, i, name, ending, top);
    } else {
      text += match?.[0] ?? char;
    }
    i += match?.[0].length ?? 1;
  }

  const unclosed = open.at(-1);
  if (unclosed && strict) {
    throw new MarkupError(`Can't find end tag corresponding to start tag "${unclosed.name}"`);
  }
  for (const tag of open.reverse()) close(tag);
  return { text, entities };
}

function htmlError(
  source: string,
  i: number,
  name: string,
  ending: boolean,
  top: OpenTag | undefined,
): MarkupError {
  const offset = byteOffset(source, i);
  if (name === '') return new MarkupError(`Unsupported start tag "" at byte offset ${offset}`);
  if (!ending) return new MarkupError(`Unsupported start tag "${name}" at byte offset ${offset}`);
  if (!top) return new MarkupError(`Unexpected end tag at byte offset ${offset}`);
  return new MarkupError(
    `Unmatched end tag at byte offset ${offset}, expected "</${top.name}>", found "</${name}>"`,
  );
}

function hrefOf(attributes: string): string | null {
  const match = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i.exec(attributes);
  const raw = match?.[1] ?? match?.[2] ?? match?.[3];
  return raw === undefined ? null : decodeAll(raw);
}

function decodeAll(text: string): string {
  return text.replace(/&[^;\s]+;/g, (each) => decodeEntity(each, 0)[0]);
}

/** Returns the decoded character and the number of source characters consumed. */
function decodeEntity(source: string, i: number): [string, number] {
  const match = /^&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(lt|gt|amp|quot));/i.exec(source.slice(i, i + 12));
  if (!match) return ['&', 1];
  const [whole, decimal, hex, named] = match;
  if (named !== undefined) return [NAMED[named.toLowerCase()] ?? '&', whole.length];
  const point = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? '0', 16);
  return point > 0 && point <= 0x10ffff ? [String.fromCodePoint(point), whole.length] : ['&', 1];
}
