import { ApiError } from './api';
import { t } from './texts';

/** A message of the API about one field of a form. */
export interface FieldProblem {
  field: string;
  text: string;
}

/** Codes that are about one field without naming it in the text. */
const fieldOfCode: Record<string, string> = { invalid_url: 'url', invalid_external_id: 'external_id' };

/** Between two problems of a message: the next one begins with its path. */
const NEXT = /; (?=[a-z_][^\s:]*: )/;

/** Before the text of a problem: where it is. */
const PATH = /^[a-z_][^\s:]*: /;

/**
 * Divides an error into problems of the named fields and the rest. The API writes `path: text; path: text`, where a path
 * can go on below the field (`tags[1]`, `brand.color`).
 */
export function fieldProblems(
  error: Error | null,
  fields: readonly string[],
): { byField: FieldProblem[]; rest: Error | null } {
  if (!(error instanceof ApiError) || error.status !== 400) return { byField: [], rest: error };
  const parts = error.message.split(NEXT).map((part) => {
    const found = /^([a-z_][^\s:]*): (.+)$/s.exec(part);
    const field = fieldAt(found?.[1] ?? fieldOfCode[error.code] ?? '', fields);
    return { field, text: human(found?.[2] ?? part) };
  });
  const byField = parts.filter((part): part is FieldProblem => part.field !== null);
  if (byField.length === parts.length) return { byField, rest: null };
  if (byField.length > 0) {
    const rest = parts.filter(({ field }) => field === null).map(({ text }) => text);
    return { byField, rest: new Error(rest.join(' ')) };
  }
  return { byField: [], rest: error };
}

/** The field that a path is in; of nested ones, the innermost. */
function fieldAt(path: string, fields: readonly string[]): string | null {
  const around = fields.filter(
    (field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`),
  );
  return around.sort((a, b) => b.length - a.length)[0] ?? null;
}

/** The words of the page's language for a text of the API; null where the catalogue has none. */
function translated(text: string): string | null {
  for (const [pattern, translate] of t.fieldErrors) {
    const found = pattern.exec(text);
    if (found) return translate(...found.slice(1));
  }
  return null;
}

function sentence(text: string): string {
  const capital = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(capital) ? capital : `${capital}.`;
}

/** What a person reads beside a field. */
export function human(text: string): string {
  return translated(text) ?? t.otherFieldError(sentence(text));
}

/** What a person reads about an error that belongs to no field. */
export function errorText(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const text = error.message.replace(/^body: /, '');
  const ofCode = (t.errors as Record<string, string | undefined>)[error.code];
  return translated(text) ?? translated(text.replace(PATH, '')) ?? ofCode ?? t.otherError(sentence(text));
}
