import { z } from 'zod';
import { channelSchema, idSchema, pageQuery, timestampSchema } from '../contract/common';
import { checkContent, givenContentFields, normalContent } from '../contract/content';
import { limits } from '../contract/limits';
import { contentViewSchema } from '../messages/contract';
import { labelSchema } from '../subscribers/contract';

const labels = z.array(labelSchema).max(limits.tagsPerProject).default([]);

export const audienceFields = {
  tags_all: labels.describe('Only subscribers with all of these tags.'),
  tags_any: labels.describe('Only subscribers with at least one of these tags.'),
  exclude_tags: labels.describe('Excludes subscribers with any of these tags.'),
  permission: labelSchema.optional().describe('Only subscribers with this permission.'),
  channel: channelSchema.optional(),
};
export const audienceSchema = z.strictObject(audienceFields);
export type Audience = z.output<typeof audienceSchema>;

const broadcastFields = z.strictObject({
  ...givenContentFields,
  ...audienceFields,
  messages_per_minute: z
    .number()
    .int()
    .min(1)
    .max(limits.broadcastMessagesPerMinute)
    .optional()
    .describe('Limits the sending rate below the rate of the bot.'),
  dry_run: z.boolean().default(false).describe('Count the audience without sending.'),
});
export const newBroadcastSchema = broadcastFields.superRefine(checkContent).transform(normalContent);
export type NewBroadcast = z.output<typeof newBroadcastSchema>;

/** A batch is a job whose recipients get different messages. */
export const jobKinds = ['broadcast', 'batch'] as const;
export type JobKind = (typeof jobKinds)[number];

export const broadcastStatuses = ['queued', 'running', 'cancelling', 'cancelled', 'completed'] as const;
export type BroadcastStatus = (typeof broadcastStatuses)[number];

export const startedBroadcastSchema = z.strictObject({
  job_id: idSchema.nullable().describe('Null for a dry run.'),
  status: z.enum([...broadcastStatuses, 'dry_run']),
  total_subscribers: z.number().int(),
});

export const broadcastSchema = z.strictObject({
  job_id: idSchema,
  status: z.enum(broadcastStatuses),
  total_subscribers: z.number().int(),
  sent: z.number().int(),
  failed: z.number().int(),
  skipped: z
    .number()
    .int()
    .describe('Inactive or unsubscribed, or not reached before the broadcast was cancelled.'),
  remaining: z.number().int(),
  possible_duplicates: z
    .number()
    .int()
    .describe('Messages sent again because a worker died during the first call.'),
  messages_per_minute: z.number().int().nullable(),
  content: contentViewSchema,
  audience: z
    .strictObject({
      tags_all: z.array(z.string()),
      tags_any: z.array(z.string()),
      exclude_tags: z.array(z.string()),
      permission: z.string().nullable(),
      channel: channelSchema.nullable(),
    })
    .describe('Which subscribers it is for.'),
  created_at: timestampSchema,
  started_at: timestampSchema.nullable(),
  ended_at: timestampSchema.nullable(),
});
export type BroadcastView = z.infer<typeof broadcastSchema>;

export const broadcastParams = z.strictObject({ job_id: idSchema });
export const broadcastListQuery = z.strictObject({ ...pageQuery });
