import { ApiError } from './api';
import { t } from './texts';

/** A message of the API about one field of a form. */
export interface FieldProblem {
  field: string;
  text: string;
}

/** Codes that are about one field without naming it in the text. */
const fieldOfCode: Record<string, string> = { invalid_url: 'url', invalid_external_id: 'external_id' };

/**
 * Divides an error into problems of the named fields and the rest. The API writes `path: text; path: text`, where a path
 * can go on below the field (`tags[1]`).
 */
export function fieldProblems(
  error: Error | null,
  fields: readonly string[],
): { byField: FieldProblem[]; rest: Error | null } {
  if (!(error instanceof ApiError) || error.status !== 400) return { byField: [], rest: error };
  const parts = error.message.split('; ').map((part) => {
    const path = /^([a-z_]+)[^\s:]*: (.+)$/s.exec(part);
    const field = path?.[1] ?? fieldOfCode[error.code] ?? '';
    return { field, text: human(path?.[2] ?? part) };
  });
  const byField = parts.filter(({ field }) => fields.includes(field));
  if (byField.length === parts.length) return { byField, rest: null };
  if (byField.length > 0) {
    const rest = parts.filter(({ field }) => !fields.includes(field)).map(({ text }) => text);
    return { byField, rest: new Error(rest.join(' ')) };
  }
  return { byField: [], rest: error };
}

/** The API's own words, in the page's language where it has them, as a sentence. */
export function human(text: string): string {
  for (const [pattern, translate] of t.fieldErrors) {
    const found = pattern.exec(text);
    if (found) return translate(...found.slice(1));
  }
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** What a person reads about an error that belongs to no field. */
export function errorText(error: Error): string {
  if (!(error instanceof ApiError)) return error.message;
  const known = (t.errors as Record<string, string | undefined>)[error.code];
  return known ?? human(error.message);
}
