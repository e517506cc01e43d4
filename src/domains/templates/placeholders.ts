import { limits } from '../../base/contract/limits';

/** A placeholder of a template: `{{name}}` or `{{name|fallback}}`. */
export interface Placeholder {
  name: string;
  /** Used when the value is empty; null if there is none. */
  fallback: string | null;
}

/** Literal texts and placeholders, in the order of the source. */
export type Piece = string | Placeholder;

/** Names the fault of a template; the caller adds the field. */
export class TemplateFault extends Error {}

const OPEN = '{{';
const CLOSE = '}}';
const NAME = /^(?:[a-z_][a-z0-9_]{0,63}|(?:properties|event)\.[a-z0-9_]{1,64}|ticket\.number)$/;

/** Splits a source at its placeholders, in one pass. Any `{{` that does not begin a placeholder is a fault. */
export function splitPlaceholders(source: string): Piece[] {
  const pieces: Piece[] = [];
  let count = 0;
  let at = 0;
  for (;;) {
    const open = source.indexOf(OPEN, at);
    if (open < 0) break;
    const close = source.indexOf(CLOSE, open + OPEN.length);
    if (close < 0) throw new TemplateFault(`has "{{" without "}}"`);
    count += 1;
    if (count > limits.templatePlaceholders) {
      throw new TemplateFault(`can have up to ${limits.templatePlaceholders} placeholders`);
    }
    if (open > at) pieces.push(source.slice(at, open));
    pieces.push(placeholderOf(source.slice(open + OPEN.length, close)));
    at = close + CLOSE.length;
  }
  if (at < source.length) pieces.push(source.slice(at));
  return pieces;
}

function placeholderOf(inside: string): Placeholder {
  const bar = inside.indexOf('|');
  const name = bar < 0 ? inside : inside.slice(0, bar);
  const fallback = bar < 0 ? null : inside.slice(bar + 1);
  if (!NAME.test(name) || fallback?.includes(OPEN)) {
    throw new TemplateFault(
      `has a placeholder that is neither {{name}} nor {{name|fallback}}: ${shown(inside)}`,
    );
  }
  return { name, fallback };
}

const SHOWN_LENGTH = 40;

function shown(inside: string): string {
  const text = inside.length > SHOWN_LENGTH ? `${inside.slice(0, SHOWN_LENGTH)}…` : inside;
  return `"{{${text}}}"`;
}
