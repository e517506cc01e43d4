import { z } from 'zod';
import { idSchema, pageQuery, timestampSchema } from './common';
import { eventNameSchema } from './events';
import { idempotencyKeySchema } from './idempotency';

/** `paused` is a pending delivery whose endpoint is disabled: computed, never stored. */
export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'paused', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

export const deliverySchema = z.strictObject({
  id: idSchema.describe('Also the X-Service-Delivery-Id of every attempt.'),
  endpoint_id: idSchema,
  event_id: idSchema,
  event: z.string(),
  status: z.enum(deliveryStatuses),
  attempt_count: z.number().int(),
  last_http_status: z.number().int().nullable(),
  last_error: z.string().nullable(),
  created_at: timestampSchema,
  first_attempt_at: timestampSchema.nullable(),
  next_attempt_at: timestampSchema
    .nullable()
    .describe('Null while an attempt is under way and after the end.'),
  ended_at: timestampSchema.nullable(),
});
export type DeliveryView = z.infer<typeof deliverySchema>;

export const attemptSchema = z.strictObject({
  number: z.number().int(),
  attempted_at: timestampSchema,
  duration_ms: z.number().int().nullable().describe('Null while the attempt is under way.'),
  status: z.number().int().nullable().describe('HTTP status of the answer; null without a complete one.'),
  error: z.string().nullable().describe('One word for each way to fail: dns, refused, timeout, tls …'),
  error_detail: z.string().nullable(),
  response_body: z.string().nullable().describe('The first 16 KiB.'),
  response_headers: z.record(z.string(), z.string()),
  next_attempt_at: timestampSchema.nullable(),
});
export type AttemptView = z.infer<typeof attemptSchema>;

export const deliveryWithAttemptsSchema = z.strictObject({
  ...deliverySchema.shape,
  body: z.string().describe('The exact text that every attempt sends and signs.'),
  attempts: z.array(attemptSchema),
});

export const deliveryListQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  event: eventNameSchema.optional(),
  since: timestampSchema.optional().describe('Only deliveries created at or after this time.'),
  ...pageQuery,
});

export const retryHeaders = z.object({
  'idempotency-key': idempotencyKeySchema
    .optional()
    .describe('Makes a repeated request harmless as long as the delivery is kept.'),
});
