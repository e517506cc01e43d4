import { z } from 'zod';
import { idSchema, timestampSchema } from './common';
import { eventNameSchema } from './events';
import { limits } from './limits';

export const endpointStatuses = ['active', 'disabled'] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

export const retryPolicySchema = z.enum(['durable', 'quick']);
export type RetryPolicyName = z.infer<typeof retryPolicySchema>;

export const deliveryLaneSchema = z.enum(['workflow', 'express']);
export type DeliveryLane = z.infer<typeof deliveryLaneSchema>;
const laneSchema = deliveryLaneSchema
  .nullable()
  .describe('`express`: the first attempt is made without a workflow. Null: as the installation is set.');

/** A set, whatever the caller repeats. */
const eventsSchema = z
  .array(eventNameSchema)
  .transform((names) => [...new Set(names)])
  .describe('Event names; an empty list subscribes to all events.');

const descriptionSchema = z.string().max(limits.webhookDescriptionLength);

export const newEndpointSchema = z.strictObject({
  // Vetted by webhooks/addresses.ts, which says more than a pattern could (400 invalid_url).
  url: z.string().describe('https, without user info or fragment, not in a private network.'),
  events: eventsSchema.default([]),
  description: descriptionSchema.nullish(),
  retry_policy: retryPolicySchema.optional().describe("Default: the project's."),
  delivery_lane: laneSchema.optional(),
});

export const endpointChangesSchema = z.strictObject({
  url: z.string().optional(),
  events: eventsSchema.optional(),
  description: descriptionSchema.nullable().optional(),
  status: z.enum(endpointStatuses).optional(),
  retry_policy: retryPolicySchema.optional(),
  delivery_lane: laneSchema.optional(),
});

export const endpointSchema = z.strictObject({
  id: idSchema,
  url: z.string(),
  events: z.array(z.string()),
  description: z.string().nullable(),
  status: z.enum(endpointStatuses),
  disabled_reason: z.string().nullable().describe('Why the service disabled it, or null.'),
  retry_policy: retryPolicySchema,
  delivery_lane: laneSchema,
  created_at: timestampSchema,
  updated_at: timestampSchema,
});
export type EndpointView = z.infer<typeof endpointSchema>;

const secretSchema = z.string().describe('Signs the deliveries. Shown this one time.');

export const createdEndpointSchema = z.strictObject({ ...endpointSchema.shape, secret: secretSchema });
export const rotatedSecretSchema = z.strictObject({ id: idSchema, secret: secretSchema });

export const testRequestSchema = z.strictObject({ event: eventNameSchema.default('auth.completed') });
export const testAnswerSchema = z.strictObject({ delivery_id: idSchema });

export const recoverRequestSchema = z.strictObject({
  since: timestampSchema.describe(`At most ${limits.webhookRecoverDays} days back.`),
});
export const recoverAnswerSchema = z.strictObject({ recovered: z.number().int() });
