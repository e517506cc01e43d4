import { z } from 'zod';
import { limits } from './limits';

const { min, max } = limits.idempotencyKeyLength;

const idempotencyKeySchema = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_-]{${min},${max}}$`),
    `must be ${min} to ${max} characters of A-Z a-z 0-9 _ -`,
  );

export const idempotencyHeaders = z.object({
  'idempotency-key': idempotencyKeySchema
    .optional()
    .describe(`Makes retries of this request safe for ${limits.idempotencyHours} hours.`),
});
