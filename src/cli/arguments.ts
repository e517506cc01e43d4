import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { describeIssues } from '../http/validate';
import { UsageError } from './context';

/** The same schemas as the API's, with the fault in one sentence. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new UsageError(`Not valid: ${describeIssues(result.error)}.`);
}

export function yesOrNo(value: string): boolean {
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new InvalidArgumentError('It must be true or false.');
}
