import { z } from 'zod';

export const idempotencyKeySchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{8,128}$/, 'must be 8 to 128 characters of A-Z a-z 0-9 _ -');

export const idempotencyHeaders = z.object({
  'idempotency-key': idempotencyKeySchema
    .optional()
    .describe('Makes retries of this request safe for 24 hours.'),
});
