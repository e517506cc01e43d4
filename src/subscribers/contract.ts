import { z } from 'zod';
import { channelSchema, pageQuery } from '../contract/common';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import { subscriberFields } from '../events/contract';

export const subscriberSchema = z.strictObject(subscriberFields);

/** Any text: an unknown or malformed id returns 404 `subscriber_not_found`. */
export const subscriberParams = z.strictObject({
  id: z.string().describe('A subscriber_id in either form: a UUID, or `sub_` + base62.'),
});

export const subscriberIdSchema = z.string().max(100).describe('In either form: a UUID, or `sub_` + base62.');

const PRINTABLE = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;

export const externalIdSchema = z
  .string()
  .refine(isExternalId, { params: { error: new AppError('invalid_external_id') } })
  .describe(`The project's own id of the user: 1 to ${limits.externalIdLength} printable characters.`);

function isExternalId(text: string): boolean {
  if (text.length > limits.externalIdLength || text !== text.trim()) return false;
  return PRINTABLE.test(text);
}

/** The name of a tag or permission. */
export const labelSchema = z
  .string()
  .min(1)
  .max(limits.tagLength)
  .refine((text) => PRINTABLE.test(text) && text === text.trim(), {
    message: 'must be printable, without white space at its ends',
  });

/** Removes duplicates. */
function labelSet(max: number) {
  return z
    .array(labelSchema)
    .transform((names) => [...new Set(names)])
    .refine((names) => names.length <= max, `a project has at most ${max}`);
}

export const subscriberChangesSchema = z.strictObject({
  external_id: externalIdSchema.nullable().optional(),
  tags: labelSet(limits.tagsPerProject).optional(),
  permissions: labelSet(limits.permissionsPerProject).optional(),
});
export type SubscriberChanges = z.output<typeof subscriberChangesSchema>;

export const subscriberListQuery = z.strictObject({
  channel: channelSchema.optional(),
  tag: labelSchema.optional(),
  external_id: externalIdSchema.optional(),
  active: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .optional(),
  ...pageQuery,
});

export const subscribeLinkSchema = z.strictObject({
  telegram_link: z.string().nullable(),
  max_link: z.string().nullable(),
});
