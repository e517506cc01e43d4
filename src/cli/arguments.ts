import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { isUuid } from '../contract/ids';
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

const UNITS_MS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** An ISO time, or how long ago: `90s`, `30m`, `2h`, `7d`. Answers an ISO time. */
export function since(value: string): string {
  const ago = /^(\d{1,6})([smhd])$/.exec(value);
  if (ago) return new Date(Date.now() - Number(ago[1]) * (UNITS_MS[ago[2] ?? ''] ?? 0)).toISOString();
  const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError('It must be a time like 2026-01-31T12:00:00Z, or like 30m, 2h or 7d ago.');
}

export function uuid(value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw new InvalidArgumentError('It must be an id (a UUID).');
}

export function count(most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number > 0 && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return (value: string): Values[number] => {
    if (values.includes(value)) return value;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  };
}
