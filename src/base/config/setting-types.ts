import { accessSync, constants, statSync } from 'node:fs';
import { z } from 'zod';

/** A setting, and the environment variable that it is read from. */
export interface Setting<T> {
  variable: string;
  schema: z.ZodType<T>;
}

/* What the value of a setting may be, each with its own error. */

export function whole(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: `must be one of ${values.join(', ')}` });
}
export const port = (fallback: number) => whole(0, 65_535).default(fallback);
export const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');
const PROXIES = 'must be a whole number from 0 to 10, true or false';
export const proxyCount = z
  .string()
  .transform((value) => (value === 'true' ? '1' : value === 'false' ? '0' : value))
  .pipe(z.string().regex(/^(\d|10)$/, PROXIES))
  .transform(Number);
const POSTGRES_URL = 'must be a URL that starts with postgres://';
export const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, POSTGRES_URL)
  .refine(URL.canParse, POSTGRES_URL);
export const readableFile = z
  .string()
  .refine(isReadableFile, { error: 'must be the path of a readable file' });

function isReadableFile(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
