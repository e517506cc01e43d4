import { pageTexts } from '../page-texts';
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

interface Content {
  text?: string | null | undefined;
  template?: string | null | undefined;
  personalize?: boolean | undefined;
}

/** Names of templates by key. */
export type TemplateNames = ReadonlyMap<string, string | null>;

export function templateTitle(key: string, name: string | null | undefined): string {
  return name ? pageTexts().templateNamed(name) : pageTexts().template(key);
}

/** What a message says, for a list: its text, or the name of its template. */
export function contentTitle({ text, template, personalize }: Content, names: TemplateNames): string {
  if (typeof template === 'string') return templateTitle(template, names.get(template));
  return personalize ? readableText(text ?? '') : (text ?? '');
}

/** The whole text; of a template with a name, its key too. */
export function contentHint(content: Content, names: TemplateNames): string {
  const title = contentTitle(content, names);
  const { template } = content;
  return typeof template === 'string' && names.get(template) ? `${title} (${template})` : title;
}
