import { z } from 'zod';
import { trackedNameSchema } from '../events/tracked/contract';
import { propertyRulesSchema } from '../rules/contract';
import { labelSchema, type Properties } from '../subscribers/contract';

export const triggerSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('event'),
      name: trackedNameSchema,
      where: propertyRulesSchema.optional().describe('Rules on the properties of the event.'),
    }),
    z.strictObject({ type: z.literal('tag_added'), tag: labelSchema }),
    z.strictObject({ type: z.literal('subscription') }),
    z.strictObject({ type: z.literal('manual') }),
  ])
  .describe('What enrols a subscriber. Enrolling by hand works for every chain.');
export type Trigger = z.output<typeof triggerSchema>;

/** What enrols a subscriber into the chains whose trigger it is. */
export type Cause =
  | { type: 'subscription'; subscriberId: string }
  | { type: 'tag_added'; subscriberId: string; tag: string }
  | { type: 'event'; subscriberId: string; name: string; properties: Properties };

/** Tags that a subscriber did not have before. */
export function addedTags(
  subscriberId: string,
  before: readonly string[],
  after: readonly string[],
): Cause[] {
  return after
    .filter((tag) => !before.includes(tag))
    .map((tag) => ({ type: 'tag_added', subscriberId, tag }));
}
