import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../base/contract/durations';
import { isUuid } from '../../base/contract/ids';
import { issueText } from '../../base/contract/issues';
import { describeIssues } from '../../base/http/validate';
import { nearest } from '../../base/lib/nearest';
import { UsageError } from './context';

/** Validates with the schemas of the API; the error is one sentence. */
export function parsed<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value, { error: issueText });
  if (result.success) return result.data;
  throw new UsageError(`Invalid value: ${describeIssues(result.error.issues)}.`);
}

export function yesOrNo(value: string): boolean {
  if (value === 'true') return true;
  if (value === 'false') return false;
  throw new InvalidArgumentError('It must be true or false.');
}

const UNITS_MS: Record<string, number> = { s: 1_000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** Takes an ISO time or an age (`90s`, `30m`, `2h`, `7d`); returns an ISO time. */
export function since(value: string): string {
  const ago = /^(\d{1,6})([smhd])$/.exec(value);
  if (ago) return new Date(Date.now() - Number(ago[1]) * (UNITS_MS[ago[2] ?? ''] ?? 0)).toISOString();
  const time = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    'It must be a time like 2026-01-31T12:00:00Z, or an age like 30m, 2h or 7d.',
  );
}

export function uuid(value: string): string {
  if (isUuid(value)) return value.toLowerCase();
  throw new InvalidArgumentError('It must be a UUID.');
}

export function count(most: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (Number.isInteger(number) && number > 0 && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${most}.`);
  };
}

const FEW = 10;

/** Carries its values, which shell completion offers. */
export function oneOf<const Values extends readonly string[]>(values: Values) {
  const parse = (value: string): Values[number] => {
    if (values.includes(value)) return value;
    const meant = nearest(value, values);
    const all = `It must be one of ${values.join(', ')}.`;
    // A long list hides the answer.
    throw new InvalidArgumentError(
      meant === undefined ? all : `Did you mean ${meant}?${values.length > FEW ? '' : ` ${all}`}`,
    );
  };
  return Object.assign(parse, { values });
}

/** The values that a parser of this file takes, where it takes a list of words. */
export function valuesOf(parse: unknown): readonly string[] {
  return (parse as { values?: readonly string[] } | undefined)?.values ?? [];
}

export function httpUrl(value: string): string {
  const protocol = URL.canParse(value) ? new URL(value).protocol : null;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new UsageError(`"${value}" is not an http address.`);
  }
  return value;
}
