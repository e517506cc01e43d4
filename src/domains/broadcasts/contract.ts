import { z } from 'zod';
import { channelSchema, idSchema, pageQuery, timestampSchema, exampleId } from '../../base/contract/common';
import { checkContent, givenContentFields, normalContent } from '../../base/contract/content';
import { limits } from '../../base/contract/limits';
import { contentViewSchema, sendReasons } from '../messages/contract';
import { labelSchema } from '../subscribers/contract';

const labels = z.array(labelSchema).max(limits.tagsPerProject).optional();

export const audienceFields = {
  tags_all: labels.describe('Only subscribers with all of these tags.').meta({ examples: [[]] }),
  tags_any: labels.describe('Only subscribers with at least one of these tags.'),
  exclude_tags: labels.describe('Excludes subscribers with any of these tags.').meta({ examples: [[]] }),
  permission: labelSchema
    .optional()
    .describe('Only subscribers with this permission.')
    .meta({ examples: ['news'] }),
  channel: channelSchema.optional(),
};
/** As given: a filter that is missing does not narrow. */
export const audienceSchema = z.strictObject(audienceFields).meta({ id: 'Audience' });
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
export const newBroadcastSchema = broadcastFields
  .superRefine(checkContent)
  .transform(normalContent)
  .meta({ examples: [{ text: 'The shop opens at ten.', tags_any: ['vip'] }] });
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

export const retriedBroadcastSchema = z.strictObject({ job_id: idSchema });

export const broadcastSchema = z
  .strictObject({
    job_id: idSchema,
    status: z.enum(broadcastStatuses).meta({ examples: ['completed'] }),
    total_subscribers: z
      .number()
      .int()
      .meta({ examples: [10] }),
    sent: z
      .number()
      .int()
      .meta({ examples: [8] }),
    failed: z.number().int(),
    skipped: z
      .number()
      .int()
      .describe('Inactive or unsubscribed, or not reached before the broadcast was cancelled.'),
    remaining: z
      .number()
      .int()
      .meta({ examples: [0] }),
    possible_duplicates: z
      .number()
      .int()
      .describe('Messages sent again because a worker died during the first call.'),
    messages_per_minute: z.number().int().nullable(),
    content: contentViewSchema,
    audience: z
      .strictObject({
        tags_all: z.array(z.string()).meta({ examples: [[]] }),
        tags_any: z.array(z.string()).meta({ examples: [['beta']] }),
        exclude_tags: z.array(z.string()).meta({ examples: [[]] }),
        permission: z.string().nullable(),
        channel: channelSchema.nullable(),
      })
      .describe('Which subscribers it is for.'),
    created_at: timestampSchema,
    started_at: timestampSchema.nullable(),
    ended_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:30:02.000+00:00'] }),
  })
  .meta({ id: 'Broadcast' });
export type BroadcastView = z.infer<typeof broadcastSchema>;

/** What became of one recipient, in broadcasts and batches alike. */
export const recipientResultFields = {
  subscriber_id: z
    .string()
    .nullable()
    .describe('Null if there is no such subscriber.')
    .meta({ examples: [exampleId] }),
  channel: channelSchema.nullable(),
  status: z.enum(['queued', 'sent', 'failed', 'skipped']).meta({ examples: ['sent'] }),
  delivery_id: idSchema.nullable(),
};

export const broadcastResultSchema = z
  .strictObject({
    ...recipientResultFields,
    reason: z
      .enum([...sendReasons, 'cancelled', 'too_late'])
      .nullable()
      .meta({ examples: [null] }),
  })
  .meta({ id: 'BroadcastResult' });
export type BroadcastResult = z.infer<typeof broadcastResultSchema>;

/** Of a broadcast or a batch. */
export const jobStatsSchema = z
  .strictObject({
    sent: z
      .number()
      .int()
      .meta({ examples: [9] }),
    failed: z.number().int(),
    skipped: z
      .number()
      .int()
      .meta({ examples: [0] }),
    queued: z
      .number()
      .int()
      .meta({ examples: [0] }),
    total: z
      .number()
      .int()
      .meta({ examples: [10] }),
    reasons: z
      .array(
        z.strictObject({
          reason: z.enum([...sendReasons, 'subscriber_not_found', 'cancelled', 'too_late']),
          count: z.number().int(),
        }),
      )
      .describe('Why messages failed or were skipped, the most frequent first.'),
    buttons: z
      .array(
        z.strictObject({
          text: z
            .string()
            .describe('As given, before placeholders are filled in.')
            .meta({ examples: ['Track it'] }),
          clicks: z.number().int(),
          people: z.number().int(),
        }),
      )
      .describe(
        'Taps on buttons with `data`, by the text of the button; the messengers do not report taps on links. At most 100, the most tapped.',
      ),
    unsubscribed: z
      .number()
      .int()
      .describe('Recipients whose subscription ended within 72 hours of their message.'),
  })
  .meta({ id: 'SendStats' });
export type JobStats = z.infer<typeof jobStatsSchema>;

export const broadcastParams = z.strictObject({ job_id: idSchema });
export const broadcastListQuery = z.strictObject({ ...pageQuery });
export const broadcastResultsQuery = z.strictObject({
  status: recipientResultFields.status.optional(),
  ...pageQuery,
});
