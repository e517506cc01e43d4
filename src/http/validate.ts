import type { z } from 'zod';
import { AppError } from '../contracts/errors';

/** How many faults one answer names: enough to mend a request in one go, not a flood. */
const SHOWN_ISSUES = 5;

export function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, SHOWN_ISSUES)
    .flatMap((issue) => {
      if (issue.code === 'unrecognized_keys') {
        return issue.keys
          .slice(0, SHOWN_ISSUES)
          .map((key) => `${[...issue.path, key].join('.')}: is not a known field`);
      }
      const field = issue.path.length > 0 ? issue.path.map(String).join('.') : 'body';
      return [`${field}: ${issue.message}`];
    })
    .join('; ');
}

/** Parses what a caller sent; the message of the error names the field at fault. */
export function validated<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  // A schema may name a better code than validation_failed for its field (invalid_url, invalid_external_id …).
  for (const issue of result.error.issues) {
    if (issue.code === 'custom' && issue.params?.['error'] instanceof AppError) throw issue.params['error'];
  }
  throw new AppError('validation_failed', describeIssues(result.error));
}
