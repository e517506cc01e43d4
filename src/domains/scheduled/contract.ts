import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  channelSchema,
  idSchema,
  pageQuery,
  timestampSchema,
  timezoneSchema,
  exampleId,
} from '../../base/contract/common';
import { contentSchema, givenContentFields } from '../../base/contract/content';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { externalIdSchema, labelSchema, subscriberIdSchema } from '../subscribers/contract';
import { audienceFields, audienceSchema } from '../broadcasts/contract';

export const scheduledStatuses = ['scheduled', 'sending', 'sent', 'failed', 'skipped', 'cancelled'] as const;
export type ScheduledStatus = (typeof scheduledStatuses)[number];

/** Each recipient's own time zone. */
export const RECIPIENT = 'recipient';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?$/;
const timeSchema = z
  .string()
  .max(40)
  .refine((text) => TIME.test(text) && !Number.isNaN(Date.parse(text)) && isDate(text), {
    message: 'must be a time like 2026-12-31T09:00:00 or 2026-12-31T09:00:00+03:00',
  })
  .describe('A moment if it has an offset; without one, a local time of `timezone`. At most a year ahead.');

/** `Date` takes the 31st of any month. */
function isDate(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return new Date(Date.UTC(year, month, 0)).getUTCDate() >= day;
}

const zoneSchema = z
  .union([z.literal(RECIPIENT), timezoneSchema], `must be ${RECIPIENT} or a time zone like Europe/Berlin`)
  .describe(
    'Of a time without an offset: an IANA name, or `recipient` for each one’s own. Default: the project’s.',
  );

const nameSchema = z.string().trim().min(1).check(characters(limits.nameLength));
const channelsSchema = z.array(channelSchema).min(1);

export const newScheduledSchema = z
  .strictObject({
    name: nameSchema.optional(),
    content: contentSchema,
    subscriber_id: subscriberIdSchema.optional(),
    external_id: externalIdSchema.optional(),
    audience: audienceSchema.optional(),
    channels: channelsSchema.optional().describe('Only these channels. Default: all. Not with audience.'),
    permission: labelSchema
      .optional()
      .describe('Send only to subscribers with this permission. Not with audience.'),
    scheduled_at: timeSchema,
    timezone: zoneSchema.optional(),
  })
  .superRefine((body, ctx) => {
    const given = (['subscriber_id', 'external_id', 'audience'] as const).filter(
      (field) => body[field] !== undefined,
    );
    if (body.subscriber_id !== undefined && body.external_id !== undefined) {
      const error = new AppError('mutually_exclusive_identifiers');
      ctx.addIssue({ code: 'custom', params: { error }, message: error.message, input: body });
    } else if (given.length !== 1) {
      const message = 'must be given, or external_id, or audience: exactly one of them';
      ctx.addIssue({ code: 'custom', path: ['subscriber_id'], message, input: body });
    }
    if (body.audience === undefined) return;
    for (const field of ['channels', 'permission'] as const) {
      if (body[field] === undefined) continue;
      ctx.addIssue({
        code: 'custom',
        path: [field],
        message: 'cannot be combined with audience',
        input: body,
      });
    }
  })
  .meta({
    examples: [
      { content: { text: 'We begin in an hour.' }, external_id: 'user-42', scheduled_at: '<later>' },
    ],
  });
export type NewScheduled = z.output<typeof newScheduledSchema>;

export const scheduledChangesSchema = z
  .strictObject({
    name: nameSchema.nullable().optional(),
    content: contentSchema.optional(),
    subscriber_id: subscriberIdSchema.optional(),
    external_id: externalIdSchema.optional(),
    audience: audienceSchema.optional(),
    channels: channelsSchema.nullable().optional(),
    permission: labelSchema.nullable().optional(),
    scheduled_at: timeSchema.optional(),
    timezone: zoneSchema.optional(),
  })
  .meta({ examples: [{ content: { text: 'We begin in half an hour.' } }] });
export type ScheduledChanges = z.output<typeof scheduledChangesSchema>;

export const scheduledSchema = z
  .strictObject({
    scheduled_id: idSchema,
    name: z
      .string()
      .nullable()
      .meta({ examples: ['Reminder'] }),
    content: z
      .strictObject({ ...givenContentFields, text: z.string().optional() })
      .meta({ examples: [{ text: 'We begin in an hour.', format: 'plain', personalize: false }] }),
    subscriber_id: z
      .string()
      .nullable()
      .meta({ examples: [exampleId] }),
    external_id: z
      .string()
      .nullable()
      .meta({ examples: ['user-42'] }),
    audience: z
      .strictObject(audienceFields)
      .nullable()
      .meta({ examples: [null] }),
    channels: z.array(channelSchema).nullable(),
    permission: z.string().nullable(),
    scheduled_at: z
      .string()
      .describe('A moment in UTC, or the local time as given.')
      .meta({ examples: ['2026-01-15T12:00:00'] }),
    timezone: z
      .string()
      .nullable()
      .describe('Null if scheduled_at is a moment.')
      .meta({ examples: ['Europe/Berlin'] }),
    status: z.enum(scheduledStatuses),
    reason: z.string().nullable().describe('Why it failed or was skipped.'),
    next_at: timestampSchema
      .nullable()
      .describe(
        'When it is sent next; null once it has ended or has become a broadcast, unless recipients wait for their own time.',
      )
      .meta({ examples: ['2026-01-15T12:00:00.000+00:00'] }),
    job_id: idSchema
      .nullable()
      .describe('The broadcast of an audience.')
      .meta({ examples: [null] }),
    created_at: timestampSchema,
    updated_at: timestampSchema,
    ended_at: timestampSchema.nullable().meta({ examples: [null] }),
  })
  .meta({ id: 'ScheduledMessage' });
export type ScheduledView = z.infer<typeof scheduledSchema>;

export const scheduledParams = z.strictObject({ id: idSchema });
export const scheduledListQuery = z.strictObject({
  status: z.enum(scheduledStatuses).optional(),
  subscriber_id: subscriberIdSchema.optional(),
  ...pageQuery,
});
