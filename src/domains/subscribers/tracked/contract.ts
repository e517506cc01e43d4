import { z } from 'zod';
import { givenTimeSchema, pageQuery, timestampSchema, whoFields } from '../../../base/contract/common';
import { limits } from '../../../base/contract/limits';
import { givenEventIdSchema } from '../../events/contract';
import { checkRecipient, externalIdSchema, propertiesSchema, subscriberIdSchema } from '../contract';

export const trackedNameSchema = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9_.-]{1,${limits.trackedNameLength}}$`),
    `must be 1 to ${limits.trackedNameLength} characters of a-z, 0-9, _, . and -`,
  )
  .meta({ examples: ['purchase'] });

/** Of an event. */
const trackedPropertiesSchema = propertiesSchema.refine(
  (given) => Object.keys(given).length <= limits.properties,
  `can have up to ${limits.properties} keys`,
);

const trackedEventInput = z
  .strictObject({
    name: trackedNameSchema.describe('What happened, such as `purchase`.'),
    subscriber_id: subscriberIdSchema.optional(),
    external_id: externalIdSchema.optional().describe('Means each subscriber with it.'),
    properties: trackedPropertiesSchema.optional(),
    occurred_at: givenTimeSchema
      .optional()
      .describe(
        `From ${limits.trackedDaysBack} days ago to ${limits.trackedMinutesAhead} minutes ahead. Default: now.`,
      ),
    event_id: givenEventIdSchema
      .optional()
      .describe(
        `Your own id. The same id within ${limits.publishedIdDays} days is a duplicate and has no effect.`,
      ),
  })
  .superRefine(checkRecipient);

export const trackSchema = z
  .strictObject({
    events: z.array(trackedEventInput).min(1).max(limits.trackedEvents),
  })
  .meta({
    examples: [
      {
        events: [
          { name: 'purchase', external_id: 'user-42', properties: { amount: 49.9 }, event_id: 'order-1001' },
        ],
      },
    ],
  });
export type TrackRequest = z.output<typeof trackSchema>;

export const trackResultSchema = z.strictObject({
  event_id: z
    .string()
    .describe('The given id, or the one that Herald chose.')
    .meta({ examples: ['order-1001'] }),
  status: z.enum(['accepted', 'duplicate', 'subscriber_not_found']),
});
export type TrackResult = z.infer<typeof trackResultSchema>;

export const trackedEventSchema = z
  .strictObject({
    event_id: z.string().meta({ examples: ['order-1001'] }),
    name: z.string().meta({ examples: ['purchase'] }),
    ...whoFields,
    properties: propertiesSchema,
    occurred_at: timestampSchema,
    received_at: timestampSchema.describe('Events are listed by this time, newest first.'),
  })
  .meta({ id: 'TrackedEvent' });
export type TrackedEventView = z.infer<typeof trackedEventSchema>;

export const trackedListQuery = z.strictObject({
  subscriber_id: subscriberIdSchema.optional(),
  name: trackedNameSchema.optional(),
  since: givenTimeSchema.optional().describe('Only events that occurred at this time or later.'),
  ...pageQuery,
});
