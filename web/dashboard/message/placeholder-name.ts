import { t } from '../texts';
import { chipPieces } from './placeholders';

/** What a placeholder stands for, in words. */
export function placeholderName(name: string): string {
  const known = t.placeholderNames as Record<string, string | undefined>;
  return known[name] ?? name.replace(/^(?:properties|event)\./, '');
}

/** A text whose placeholders are shown by what they stand for. */
export function readableText(text: string): string {
  return chipPieces(text)
    .map((piece) =>
      typeof piece === 'string' ? piece : (piece.fallback ?? `‹${placeholderName(piece.name)}›`),
    )
    .join('');
}
