import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  givenTimeSchema,
  idSchema,
  pageQuery,
  timestampSchema,
  timezoneSchema,
} from '../../base/contract/common';
import { contentSchema, givenContentFields } from '../../base/contract/content';
import { limits } from '../../base/contract/limits';
import { audienceFields, audienceSchema } from '../broadcasts/contract';

export const recurringStatuses = ['active', 'paused', 'ended'] as const;
export type RecurringStatus = (typeof recurringStatuses)[number];

const nameSchema = z.string().trim().min(1).check(characters(limits.nameLength));
const cronSchema = z
  .string()
  .max(limits.cronLength)
  .describe(
    'Five fields: minute, hour, day of month, month, day of week; `* , - /`, `MON`…, `JAN`…. Not both day fields.',
  );
const maxRunsSchema = z.number().int().min(1).max(1_000_000);

export const newRecurringSchema = z
  .strictObject({
    name: nameSchema,
    content: contentSchema,
    audience: audienceSchema,
    cron: cronSchema,
    timezone: timezoneSchema.optional().describe('Default: the project’s.'),
    start_at: givenTimeSchema.nullable().optional().describe('No run before this time.'),
    end_at: givenTimeSchema.nullable().optional().describe('No run after this time.'),
    max_runs: maxRunsSchema.nullable().optional().describe('Ends after this many broadcasts.'),
  })
  .meta({
    examples: [
      {
        name: 'Weekly digest',
        content: { text: 'What is new this week' },
        audience: { tags_any: ['digest'] },
        cron: '0 9 * * MON',
        timezone: 'Europe/Berlin',
      },
    ],
  });
export type NewRecurring = z.output<typeof newRecurringSchema>;

export const recurringChangesSchema = z
  .strictObject({
    name: nameSchema.optional(),
    content: contentSchema.optional(),
    audience: audienceSchema.optional(),
    cron: cronSchema.optional(),
    timezone: timezoneSchema.optional(),
    start_at: givenTimeSchema.nullable().optional(),
    end_at: givenTimeSchema.nullable().optional(),
    max_runs: maxRunsSchema.nullable().optional(),
    status: z.enum(['active', 'paused']).optional(),
  })
  .meta({ examples: [{ status: 'paused' }] });
export type RecurringChanges = z.output<typeof recurringChangesSchema>;

export const recurringSchema = z
  .strictObject({
    recurring_id: idSchema,
    name: z.string().meta({ examples: ['Weekly digest'] }),
    content: z
      .strictObject(givenContentFields)
      .meta({ examples: [{ text: 'What is new this week', format: 'plain', personalize: false }] }),
    audience: z.strictObject(audienceFields),
    cron: z.string().meta({ examples: ['0 9 * * MON'] }),
    timezone: z.string().meta({ examples: ['Europe/Berlin'] }),
    start_at: timestampSchema.nullable(),
    end_at: timestampSchema.nullable().meta({ examples: [null] }),
    max_runs: z
      .number()
      .int()
      .nullable()
      .meta({ examples: [null] }),
    status: z.enum(recurringStatuses),
    next_run_at: timestampSchema
      .nullable()
      .describe('Null while it is paused, and once it has ended.')
      .meta({ examples: ['2026-01-19T08:00:00.000+00:00'] }),
    last_run_at: timestampSchema.nullable(),
    runs: z.number().int().describe('Broadcasts that were started.'),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'RecurringMessage' });
export type RecurringView = z.infer<typeof recurringSchema>;

export const runStatuses = ['started', 'completed', 'skipped', 'failed'] as const;

export const runSchema = z
  .strictObject({
    run_id: idSchema,
    scheduled_for: timestampSchema,
    status: z.enum(runStatuses),
    reason: z
      .string()
      .nullable()
      .describe(
        'Skipped: `overlap`, `missed`, `by_request`, `billing_blocked`, `empty_audience` or `too_many_jobs`.',
      ),
    job_id: idSchema.nullable(),
  })
  .meta({ id: 'RecurringRun' });
export type RunView = z.infer<typeof runSchema>;

export const startedRunSchema = z.strictObject({ run_id: idSchema });
export const skipSchema = z.strictObject({
  at: givenTimeSchema.optional().describe('The occurrence to leave out. Default: the next one.'),
});

export const recurringParams = z.strictObject({ id: idSchema });
export const recurringListQuery = z.strictObject({ ...pageQuery });
export const runListQuery = z.strictObject({ ...pageQuery });
