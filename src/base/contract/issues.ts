import type { z } from 'zod';

type Issue = z.core.$ZodRawIssue;

const kinds: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/**
 * The text of a validation issue where the schema has none of its own: pass it to `safeParse` as `error`. Each text
 * reads after the name of a field.
 */
export function issueText(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_big':
      return issue.origin === 'number'
        ? `must be at most ${issue.maximum}`
        : `can have up to ${amount(issue.maximum, issue.origin)}`;
    case 'too_small':
      if (issue.origin === 'number') {
        return `must be ${issue.inclusive ? 'at least' : 'greater than'} ${issue.minimum}`;
      }
      return issue.minimum === 1
        ? 'must not be empty'
        : `must have at least ${amount(issue.minimum, issue.origin)}`;
    case 'invalid_format':
      if (issue.format === 'datetime') return 'must be a time with an offset, like 2026-01-31T12:00:00Z';
      return 'has the wrong format';
    default:
      return 'is not valid';
  }
}

function amount(number: number | bigint, origin: string): string {
  return `${number} ${origin === 'string' ? 'character' : 'item'}${Number(number) === 1 ? '' : 's'}`;
}
