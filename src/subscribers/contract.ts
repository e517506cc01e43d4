import { z } from 'zod';
import { channelSchema, pageQuery, timezoneSchema } from '../contract/common';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
import { subscriberFields } from '../events/contract';

const propertyKeySchema = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9_]{1,${limits.propertyKeyLength}}$`),
    `must be 1 to ${limits.propertyKeyLength} characters of a-z, 0-9 and _`,
  );

/** A value of a property, of a subscriber or of an event. */
export const propertyValueSchema = z.union([z.string().max(limits.propertyLength), z.number(), z.boolean()]);
export type PropertyValue = z.infer<typeof propertyValueSchema>;
export type Properties = Record<string, PropertyValue>;

export const propertiesSchema = z.record(propertyKeySchema, propertyValueSchema);

/** What the API shows; events have the fields of the specification only. */
export const subscriberSchema = z.strictObject({
  ...subscriberFields,
  timezone: z.string().nullable().describe('Time zone of the user; null: that of the project.'),
  properties: propertiesSchema.describe('Facts about the user that your project keeps.'),
});
export type SubscriberView = z.infer<typeof subscriberSchema>;

/** Accepts any text: an id that matches no subscriber returns 404 `subscriber_not_found`. */
export const subscriberParams = z.strictObject({
  id: z.string().describe('A subscriber_id: a UUID, or `sub_` + base62.'),
});

export const subscriberIdSchema = z.string().max(100).describe('A UUID, or `sub_` + base62.');

const PRINTABLE = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;

export const externalIdSchema = z
  .string()
  .refine(isExternalId, { params: { error: new AppError('invalid_external_id') } })
  .describe(`Your own id of the user: 1 to ${limits.externalIdLength} printable characters.`);

function isExternalId(text: string): boolean {
  if (text.length > limits.externalIdLength || text !== text.trim()) return false;
  return PRINTABLE.test(text);
}

function label(tooLong?: string) {
  return z
    .string()
    .min(1, { abort: true })
    .max(limits.tagLength, tooLong)
    .refine((text) => PRINTABLE.test(text) && text === text.trim(), {
      message: 'must have printable characters only, without leading or trailing spaces',
    });
}

/** The name of a tag or a permission. */
export const labelSchema = label();

/** Duplicates are dropped. */
function labelSet(kind: 'tag' | 'permission', max: number) {
  return z
    .array(label(`each ${kind} can have up to ${limits.tagLength} characters`))
    .transform((names) => [...new Set(names)])
    .refine((names) => names.length <= max, `a project can have up to ${max}`);
}

export const subscriberChangesSchema = z.strictObject({
  external_id: externalIdSchema.nullable().optional(),
  tags: labelSet('tag', limits.tagsPerProject).optional(),
  permissions: labelSet('permission', limits.permissionsPerProject).optional(),
  timezone: timezoneSchema.nullable().optional(),
  properties: z
    .record(propertyKeySchema, propertyValueSchema.nullable())
    .refine(
      (given) => Object.values(given).filter((value) => value !== null).length <= limits.properties,
      `a subscriber can have up to ${limits.properties} properties`,
    )
    .optional()
    .describe('Given keys are set, keys with null are removed, others do not change.'),
});
export type SubscriberChanges = z.output<typeof subscriberChangesSchema>;

export const subscriberListQuery = z.strictObject({
  channel: channelSchema.optional(),
  tag: labelSchema.optional(),
  external_id: externalIdSchema.optional(),
  q: z
    .string()
    .trim()
    .min(1)
    .max(limits.externalIdLength)
    .optional()
    .describe(
      'Only subscribers whose name, username or external_id begins with this text, in any case, or who have this tag.',
    ),
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
