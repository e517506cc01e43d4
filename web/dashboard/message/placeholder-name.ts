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

/** What a message says, for a list: its text, or the name of its template. */
export function contentTitle(content: {
  text?: string | null | undefined;
  template?: string | null | undefined;
  personalize?: boolean | undefined;
}): string {
  const { text, template, personalize } = content;
  if (typeof template === 'string') return t.templateNamed(template);
  return personalize ? readableText(text ?? '') : (text ?? '');
}
