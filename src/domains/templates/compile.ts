import { markdownToHtml } from '../bots';
import { isWebUrl } from '../../base/contract/content';
import { isEscaped } from '../../base/lib/is-escaped';
import { type Escape, escapes, onOneLine } from './escape';
import { splitPlaceholders, TemplateFault, type Piece, type Placeholder } from './placeholders';

/** A source whose placeholders know how a value is written in their place. */
export type Compiled = (string | (Placeholder & { escape: Escape }))[];

export function compilePlain(source: string): Compiled {
  return withEscapes(splitPlaceholders(source), () => escapes.none);
}

/** Scheme and host must be literal, so that no value can choose where a link leads. */
export function compileUrl(source: string): Compiled {
  const pieces = splitPlaceholders(source);
  const [first = ''] = pieces;
  if (pieces.some((piece) => typeof piece !== 'string')) {
    if (typeof first !== 'string') throw new TemplateFault('must begin with a literal scheme and host');
    requireHost(first);
  }
  if (!isWebUrl(filled(pieces, () => 'x'))) throw new TemplateFault('must be an absolute http or https URL');
  return withEscapes(pieces, () => escapes.url);
}

export function compileText(source: string, format: 'plain' | 'markdown' | 'html'): Compiled {
  const pieces = splitPlaceholders(source);
  const count = pieces.filter((piece) => typeof piece !== 'string').length;
  if (count === 0 || format === 'plain') return withEscapes(pieces, () => escapes.none);
  const marks = marksFor(source, count);
  const skeleton = filled(pieces, (index) => marks[index] ?? '');
  const found = format === 'html' ? htmlContexts(skeleton, marks) : markdownContexts(skeleton, marks);
  return withEscapes(pieces, (index) => found[index] ?? escapes.none);
}

function withEscapes(pieces: Piece[], escapeOf: (index: number) => Escape): Compiled {
  let index = -1;
  return pieces.map((piece) => {
    if (typeof piece === 'string') return piece;
    index += 1;
    return { ...piece, escape: escapeOf(index) };
  });
}

function filled(pieces: Piece[], valueAt: (index: number) => string): string {
  let index = -1;
  return pieces
    .map((piece) => {
      if (typeof piece === 'string') return piece;
      index += 1;
      return valueAt(index);
    })
    .join('');
}

const PRIVATE_USE = 0xe000;

/** A character for each placeholder that the source does not contain. */
function marksFor(source: string, count: number): string[] {
  const used = new Set(source);
  const marks: string[] = [];
  for (let code = PRIVATE_USE; marks.length < count; code += 1) {
    const mark = String.fromCharCode(code);
    if (!used.has(mark)) marks.push(mark);
  }
  return marks;
}

/** Neither an entity nor a backslash, which browsers read as a slash, belongs to the host. */
const HOST = /^(?:https?|tg):\/\/[^/?#&\\\s]+[/?#]/i;

function requireHost(literal: string): void {
  if (!HOST.test(literal)) {
    throw new TemplateFault('must have a literal scheme and host before the first placeholder of a URL');
  }
}

const TAG_START = /^<[/!?a-z]?/i;
const HREF = /^<a\s+href="([^"]*)$/i;

/** A placeholder stands in the text or inside the quotes of a link's address, nowhere else in a tag. */
function htmlContexts(skeleton: string, marks: string[]): Escape[] {
  const isMark = new Map(marks.map((mark, index) => [mark, index]));
  const found = marks.map((): Escape => escapes.html);
  for (const tag of tagsOf(skeleton, isMark)) {
    let first = true;
    for (let at = 0; at < tag.length; at += 1) {
      const index = isMark.get(tag.charAt(at));
      if (index === undefined) continue;
      const address = HREF.exec(tag.slice(0, at))?.[1];
      if (address === undefined) {
        throw new TemplateFault('has a placeholder inside a tag, where only href="…" of a link can have one');
      }
      if (first) requireHost(address);
      first = false;
      found[index] = escapes.url;
    }
  }
  return found;
}

/** Quotes can contain `<` and `>`. A tag that does not end reaches to the end of the source. */
function tagsOf(skeleton: string, isMark: Map<string, number>): string[] {
  const tags: string[] = [];
  for (let at = skeleton.indexOf('<'); at >= 0; at = skeleton.indexOf('<', at)) {
    const start = at;
    at += TAG_START.exec(skeleton.slice(at, at + 2))?.[0].length ?? 1;
    if (at === start + 1 && !isMark.has(skeleton.charAt(at))) continue;
    for (let quote = ''; at < skeleton.length; at += 1) {
      const char = skeleton.charAt(at);
      if (quote === '' && char === '>') break;
      if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (char === quote) quote = '';
    }
    tags.push(skeleton.slice(start, at));
  }
  return tags;
}

const CODE = /<(code|pre)>([\s\S]*?)<\/\1>/g;
const LINK = /<a href="([^"]*)">([\s\S]*?)<\/a>/g;

/** Judged by the converter that the messages go through, so that both always agree. */
function markdownContexts(skeleton: string, marks: string[]): Escape[] {
  for (const mark of marks) {
    if (isEscaped(skeleton, skeleton.indexOf(mark))) {
      throw new TemplateFault('has a backslash before a placeholder');
    }
  }
  const html = markdownToHtml(skeleton);
  const isMark = new Map(marks.map((mark, index) => [mark, index]));
  // A backtick in the text could pair with one of a value, escaped or not.
  const hasBacktick = html.replace(CODE, '').includes('`');
  const inText = hasBacktick ? escapes.markdownBesideBacktick : escapes.markdown;
  const found = marks.map((): Escape => inText);
  const marksIn = (text: string) => [...text].flatMap((char) => isMark.get(char) ?? []);
  const assign = (text: string, escape: Escape) => {
    for (const index of marksIn(text)) found[index] = escape;
  };
  for (const [, address = '', label = ''] of html.matchAll(LINK)) {
    const first = [...address].findIndex((char) => isMark.has(char));
    if (first >= 0) requireHost([...address].slice(0, first).join(''));
    assign(address, escapes.url);
    assign(label, (value) => inText(onOneLine(value)));
  }
  for (const [, , code = ''] of html.matchAll(CODE)) assign(code, escapes.code);
  if (marksIn(addressesIn(skeleton, marks).join('')).some((index) => found[index] !== escapes.url)) {
    throw new TemplateFault(
      'has a placeholder in an address that does not have a literal scheme and host, or does not end with ")"',
    );
  }
  // An empty value can end the code around it, and "]" with a value after it would then be a link.
  for (const [, run = ''] of skeleton.matchAll(new RegExp(`\\]([${marks.join('')}]+)`, 'g'))) {
    for (const index of marksIn(run)) {
      if (found[index] === escapes.code) found[index] = escapes.codeAfterBracket;
    }
  }
  return found;
}

/**
 * What follows each `](`, whether or not the converter sees a link there: a value could complete one. Placeholders between
 * the two characters may be empty.
 */
function addressesIn(skeleton: string, marks: string[]): string[] {
  const opening = new RegExp(`\\][${marks.join('')}]*\\(\\s*([^\\s)]*)`, 'g');
  return [...skeleton.matchAll(opening)].map(([, address = '']) => address);
}
