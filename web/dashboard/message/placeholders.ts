import { splitPlaceholders, type Piece } from '../../../src/domains/templates/placeholders';

/** Names that every message knows. */
export const builtInNames = ['first_name', 'username', 'external_id', 'lang', 'project'] as const;

export interface FoundPlaceholder {
  name: string;
  fallback: string | null;
  /** As it stands in the text. */
  source: string;
}

/** The pieces of a text; null while a placeholder is still being typed, or is not one. */
export function piecesOf(text: string): Piece[] | null {
  try {
    return splitPlaceholders(text);
  } catch {
    return null;
  }
}

export const placeholderSource = (name: string, fallback: string | null) =>
  fallback === null ? `{{${name}}}` : `{{${name}|${fallback}}}`;

/** `{{`, a name, perhaps a fallback, `}}`. */
const WRITTEN = /\{\{(?:(?!\{\{|\}\}).)*\}\}/gs;

/** A text as it is being written: what is not a placeholder, or not yet, is literal. */
export function chipPieces(text: string): (string | FoundPlaceholder)[] {
  const pieces: (string | FoundPlaceholder)[] = [];
  let at = 0;
  for (const { 0: source, index } of text.matchAll(WRITTEN)) {
    const [piece] = piecesOf(source) ?? [];
    if (piece === undefined || typeof piece === 'string') continue;
    if (index > at) pieces.push(text.slice(at, index));
    pieces.push({ ...piece, source });
    at = index + source.length;
  }
  if (at < text.length) pieces.push(text.slice(at));
  return pieces;
}

/** Around a value in a rendered text: characters that no keyboard types. */
export const VALUE_BEGIN = '\uE000';
export const VALUE_END = '\uE001';

/**
 * Marks the values in a rendered text, found by the literal pieces around them. A text that does not follow its source
 * stays unmarked.
 */
export function withMarkedValues(source: string, rendered: string): string {
  const pieces = piecesOf(source);
  if (!pieces) return rendered;
  let marked = '';
  let at = 0;
  for (let index = 0; index < pieces.length; index += 1) {
    const piece = pieces[index];
    if (typeof piece === 'string') {
      if (!rendered.startsWith(piece, at)) return rendered;
      marked += piece;
      at += piece.length;
      continue;
    }
    const next = pieces[index + 1];
    const end =
      next === undefined
        ? rendered.length
        : typeof next !== 'string'
          ? at
          : index + 2 === pieces.length
            ? rendered.length - next.length
            : rendered.indexOf(next, at);
    if (end < at) return rendered;
    if (end > at) marked += VALUE_BEGIN + rendered.slice(at, end) + VALUE_END;
    at = end;
  }
  return at === rendered.length ? marked : rendered;
}
