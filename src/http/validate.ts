import type { z } from 'zod';
import { AppError } from '../contract/errors';
import { issueText } from '../contract/issues';

/** The maximum number of issues in one error. */
const SHOWN_ISSUES = 5;

export function describeIssues(issues: z.core.$ZodIssue[]): string {
  return issues
    .slice(0, SHOWN_ISSUES)
    .flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') {
        return issue.keys
          .slice(0, SHOWN_ISSUES)
          .map((key) => `${pathText([...issue.path, key])}: is not a known field`);
      }
      return [`${pathText(issue.path) || 'body'}: ${issue.message}`];
    })
    .join('; ');
}

/** `messages[1].text` */
function pathText(path: PropertyKey[]): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${String(part)}`))
    .join('');
}

/** Parses a caller's input; the message of the error names the invalid field. */
export function validated<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: issueText });
  if (result.success) return result.data;
  // A schema may define a more specific code than validation_failed (invalid_url, invalid_external_id …).
  for (const issue of result.error.issues) {
    if (issue.code !== 'custom' || !(issue.params?.['error'] instanceof AppError)) continue;
    const error = issue.params['error'];
    // The message of a top-level field already names it.
    throw issue.path.length > 1 ? new AppError(error.code, namedBy(issue.path, error.message)) : error;
  }
  throw new AppError('validation_failed', describeIssues(result.error.issues));
}

/** `messages[17].media.url: must be …`, whatever field the text itself names. */
function namedBy(path: PropertyKey[], text: string): string {
  return `${pathText(path)}: ${text.replace(/^[\w.]+: /, '')}`;
}

/**
 * Refuses text that PostgreSQL cannot store (NUL) or UTF-8 cannot encode (an unpaired surrogate), and the name `__proto__`,
 * which JavaScript objects would drop, anywhere in a value.
 * Iterative, because a body can be nested deeper than the stack.
 */
export function refuseUnstorable(value: unknown): void {
  const pending: [path: string, value: unknown][] = [['', value]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [path, item] = next;
    if (typeof item === 'string' && (item.includes('\0') || !isWellFormed(item))) {
      throw new AppError('validation_failed', `${path || 'body'}: contains a character that is not allowed`);
    }
    if (typeof item !== 'object' || item === null) continue;
    for (const [key, child] of Object.entries(item)) {
      const name = Array.isArray(item) ? `[${key}]` : `${path && '.'}${key}`;
      if (key === '__proto__') {
        throw new AppError('validation_failed', `${path}${name}: cannot be used as a name`);
      }
      pending.push([path + name, child]);
    }
  }
}

function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text);
}
