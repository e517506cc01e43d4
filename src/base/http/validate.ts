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
