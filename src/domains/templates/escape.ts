import { escapeAttribute } from '../../base/contract/escape-html';

/** Writes a value so that it is shown as it is. */
export type Escape = (value: string) => string;

/** From `!` to `~`, each has a full-width form. */
const FULL_WIDTH = 0xfee0;

const fullWidth = (char: string) => String.fromCharCode(char.charCodeAt(0) + FULL_WIDTH);
const inMarkdown: Escape = (value) => value.replace(/[\\`*_~+[\]()#]/g, (char) => `\\${char}`);

/** A link's text and code in a line end with the line. */
export const onOneLine: Escape = (value) => value.replace(/\s*\n\s*/g, ' ');

/** Code has no escapes: characters that could end it, or a mark around it, get their full-width forms. */
const inCode: Escape = (value) =>
  onOneLine(value).replace(/[`*[\]\\]|_(?![\p{L}\p{N}])|~(?=~)|\+(?=\+)/gu, fullWidth);

export const escapes = {
  none: (value) => value,
  html: escapeAttribute,
  markdown: inMarkdown,
  markdownBesideBacktick: (value) => inMarkdown(value.replaceAll('`', fullWidth('`'))),
  code: inCode,
  codeAfterBracket: (value) => inCode(value).replace(/^\(/, fullWidth),
  url: (value) =>
    encodeURIComponent(value).replace(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
} as const satisfies Record<string, Escape>;
