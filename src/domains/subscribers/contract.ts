import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  exampleChannel,
  channelFields,
  channelLinks,
  channelSchema,
  givenTimeSchema,
  idSchema,
  pageQuery,
  queryBoolean,
  timestampSchema,
  timezoneSchema,
  exampleId,
} from '../../base/contract/common';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { subscriberFields } from '../events/contract';

export const propertyKeySchema = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9_]{1,${limits.propertyKeyLength}}$`),
    `must be 1 to ${limits.propertyKeyLength} characters of a-z, 0-9 and _`,
  );

/** A value of a property, of a subscriber or of an event. */
export const propertyValueSchema = z.union([
  z.string().check(characters(limits.propertyLength)),
  z.number(),
  z.boolean(),
]);
export type PropertyValue = z.infer<typeof propertyValueSchema>;
export type Properties = Record<string, PropertyValue>;

export const propertiesSchema = z.record(propertyKeySchema, propertyValueSchema);

/** What the API shows; events have the fields of the specification only. */
export const subscriberSchema = z
  .strictObject({
    ...subscriberFields,
    timezone: z
      .string()
      .nullable()
      .describe('Time zone of the user; null: that of the project.')
      .meta({ examples: ['Europe/Berlin'] }),
    properties: propertiesSchema.describe('Facts about the user that your project keeps.'),
  })
  .meta({ id: 'Subscriber' });
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

/** For `superRefine`: one subscriber, by one of the two ids. */
export function checkRecipient(
  body: { subscriber_id?: string | undefined; external_id?: string | undefined },
  ctx: z.RefinementCtx,
): void {
  if (body.subscriber_id !== undefined && body.external_id !== undefined) {
    const error = new AppError('mutually_exclusive_identifiers');
    ctx.addIssue({ code: 'custom', params: { error }, message: error.message, input: body });
  }
  if (body.subscriber_id === undefined && body.external_id === undefined) {
    const message = 'is required, or external_id';
    ctx.addIssue({ code: 'custom', path: ['subscriber_id'], message, input: body });
  }
}

function label(tooLong?: string) {
  return z
    .string()
    .min(1, { abort: true })
    .check(characters(limits.tagLength, tooLong))
    .refine((text) => PRINTABLE.test(text) && text === text.trim(), {
      message: 'must have printable characters only, without leading or trailing spaces',
    });
}

/** The name of a tag or a permission. */
export const labelSchema = label().meta({ examples: ['beta'] });

/** Duplicates are dropped. More than a project can have are a full limit, as they would be one by one: 409. */
function labelSet(kind: 'tag' | 'permission') {
  return z
    .array(label(`each ${kind} can have up to ${limits.tagLength} characters`))
    .transform((names) => [...new Set(names)])
    .refine((names) => names.length <= limits.labelsAtOnce, `can be up to ${limits.labelsAtOnce} at once`);
}

export const subscriberChangesSchema = z
  .strictObject({
    external_id: externalIdSchema.nullable().optional(),
    tags: labelSet('tag').optional(),
    permissions: labelSet('permission').optional(),
    timezone: timezoneSchema.nullable().optional(),
    properties: z
      .record(propertyKeySchema, propertyValueSchema.nullable())
      .refine(
        (given) => Object.values(given).filter((value) => value !== null).length <= limits.properties,
        `a subscriber can have up to ${limits.properties} properties`,
      )
      .optional()
      .describe('Given keys are set, keys with null are removed, others do not change.'),
  })
  .meta({ examples: [{ external_id: 'user-42', tags: ['beta'], properties: { city: 'Riga' } }] });
export type SubscriberChanges = z.output<typeof subscriberChangesSchema>;

export const taggingSchema = z
  .strictObject({
    ids: z
      .array(subscriberIdSchema)
      .min(1)
      .max(limits.taggedSubscribers)
      .describe('Ids of subscribers; one that is given twice counts once.'),
    add: labelSet('tag').optional(),
    remove: labelSet('tag').optional(),
  })
  .refine(({ add, remove }) => (add?.length ?? 0) + (remove?.length ?? 0) > 0, {
    path: ['add'],
    message: 'name a tag to add or to remove',
  })
  .refine(({ add, remove }) => !add?.some((tag) => remove?.includes(tag)), {
    path: ['remove'],
    message: 'must not name a tag that is added',
  })
  .meta({ examples: [{ ids: ['<subscriber_id>'], add: ['vip'], remove: ['beta'] }] });
export type Tagging = z.output<typeof taggingSchema>;

export const taggedSchema = z.strictObject({
  updated: z.number().int().describe('Subscribers who now have the added tags and none of the removed.'),
  failed: z.array(
    z.strictObject({
      id: z.string().meta({ examples: [exampleId] }),
      code: z.enum(['subscriber_not_found']),
    }),
  ),
});
export type Tagged = z.infer<typeof taggedSchema>;

/** As many as a page can have. */
const MOST_IDS = limits.pageSize.max;

export const subscriberListQuery = z.strictObject({
  channel: channelSchema.optional(),
  tag: labelSchema.optional(),
  external_id: externalIdSchema.optional(),
  q: z
    .string()
    .trim()
    .min(1)
    .check(characters(limits.externalIdLength))
    .optional()
    .describe(
      'Only subscribers whose name, username or external_id begins with this text, in any case, or who have this tag.',
    ),
  ids: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(subscriberIdSchema).max(MOST_IDS))
    .optional()
    .describe(`Only these subscribers: up to ${MOST_IDS} ids, separated by commas.`),
  active: queryBoolean.optional(),
  ...pageQuery,
});

const miniAppLinks = () => channelFields('mini_app', 'Opens the Mini App; null if there is none.');

export const subscribeLinkSchema = z.lazy(() => z.strictObject(channelLinks()).extend(miniAppLinks()));
export type BotLinksView = z.infer<typeof subscribeLinkSchema>;

export const linkParams = z.strictObject({ link_id: idSchema });

export const newLinkSchema = z
  .strictObject({
    name: z.string().trim().min(1).check(characters(limits.nameLength)).optional(),
    tags: labelSet('tag').optional(),
    permissions: labelSet('permission').optional(),
    external_id: externalIdSchema.optional().describe('The subscriber gets it. Such a link works once.'),
    expires_at: givenTimeSchema.optional().describe('In the future. Without it the link does not expire.'),
    max_uses: z.number().int().min(1).max(limits.subscribeLinkUses).optional(),
  })
  .refine((body) => body.external_id === undefined || (body.max_uses ?? 1) === 1, {
    path: ['max_uses'],
    message: 'must be 1 with an external_id',
  })
  .meta({ examples: [{ name: 'Till', tags: ['vip'], external_id: 'user-42' }] });
export type NewLink = z.output<typeof newLinkSchema>;

export const linkSchema = z
  .lazy(() =>
    z
      .strictObject({
        link_id: z.string().meta({ examples: [exampleId] }),
        name: z
          .string()
          .nullable()
          .meta({ examples: ['Till'] }),
        tags: z.array(z.string()).meta({ examples: [['beta']] }),
        permissions: z.array(z.string()).meta({ examples: [['news']] }),
        external_id: z.string().nullable(),
        expires_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:40:00.000+00:00'] }),
        max_uses: z
          .number()
          .int()
          .nullable()
          .meta({ examples: [100] }),
        uses: z
          .number()
          .int()
          .describe('How often the link has subscribed a user or given them something new.')
          .meta({ examples: [12] }),
      })
      .extend(channelLinks())
      .extend(miniAppLinks())
      .extend({ created_at: timestampSchema }),
  )
  .meta({ id: 'SubscribeLink' });
export type LinkView = z.infer<typeof linkSchema>;

export const linkListQuery = z.strictObject(pageQuery);

/** A name in a path: any text, because a name that no project can have is unknown like any other. */
export const labelParams = z.strictObject({ name: z.string() });

export const newTagSchema = z.strictObject({ name: labelSchema }).meta({ examples: [{ name: 'vip' }] });
export const tagChangesSchema = z
  .strictObject({ name: labelSchema.optional() })
  .meta({ examples: [{ name: 'gold' }] });

const labelView = {
  name: z.string().meta({ examples: ['vip'] }),
  subscribers: z.number().int().describe('How many subscribers have it.'),
  created_at: timestampSchema,
};
export const tagSchema = z.strictObject(labelView).meta({ id: 'Tag' });
export type TagView = z.infer<typeof tagSchema>;

const titleSchema = z
  .string()
  .trim()
  .min(1)
  .check(characters(limits.permissionTitleLength))
  .nullable()
  .optional();
const permissionFields = {
  title_en: titleSchema.describe(
    'What the Mini App shows. A permission without a title is not offered there.',
  ),
  title_ru: titleSchema,
  default: z.boolean().optional().describe('Granted to every new subscriber.'),
};
export const newPermissionSchema = z
  .strictObject({ name: labelSchema, ...permissionFields })
  .meta({ examples: [{ name: 'news', title_en: 'News', title_ru: 'Новости', default: true }] });
export const permissionChangesSchema = z
  .strictObject({ name: labelSchema.optional(), ...permissionFields })
  .meta({ examples: [{ title_en: 'News and offers' }] });
export type PermissionChanges = z.output<typeof permissionChangesSchema>;

export const permissionSchema = z
  .strictObject({
    ...labelView,
    name: z.string().meta({ examples: ['news'] }),
    title_en: z.string().nullable(),
    title_ru: z.string().nullable(),
    default: z.boolean(),
  })
  .meta({ id: 'Permission' });
export type PermissionView = z.infer<typeof permissionSchema>;

export const miniProjectQuery = z.strictObject({
  start: z.string().check(characters(limits.startParameterLength)),
});

export const miniProjectSchema = z.strictObject({
  name: z.string().meta({ examples: ['My shop'] }),
  permissions: z.array(
    z.strictObject({
      name: z.string().meta({ examples: ['news'] }),
      title_en: z.string().nullable(),
      title_ru: z.string().nullable(),
      default: z.boolean(),
    }),
  ),
});
export type MiniProject = z.infer<typeof miniProjectSchema>;

export const miniSubscribeSchema = z
  .strictObject({
    channel: channelSchema,
    init_data: z
      .string()
      .min(1)
      .check(characters(limits.initDataLength))
      .describe('As the messenger passes it to the Mini App.'),
    permissions: labelSet('permission')
      .optional()
      .describe('What the user agrees to. Default: the default permissions of the project.'),
  })
  .meta({ examples: [{ channel: exampleChannel, init_data: '<init_data>', permissions: ['news'] }] });
export type MiniSubscribe = z.output<typeof miniSubscribeSchema>;

export const miniSubscribedSchema = z.strictObject({
  subscriber_id: z.string().meta({ examples: [exampleId] }),
  permissions: z.array(z.string()).meta({ examples: [['news']] }),
});

export const importQuery = z.strictObject({
  dry_run: queryBoolean.optional().describe('Checks every row and changes nothing.'),
});

export const importFileSchema = z
  .string()
  .describe(
    'CSV in UTF-8. Columns: `subscriber_id` or `external_id`, and any of `tags`, `add_tags`, `permissions` (names joined by `|`), `timezone`, `properties.<key>`. An empty cell changes nothing.',
  )
  .meta({ examples: ['external_id,add_tags,properties.city\nuser-42,beta|news,Riga\n'] });

export const acceptedImportSchema = z.strictObject({
  import_id: idSchema,
  rows: z.number().int().describe('Without the header and empty lines.'),
});

export const importStatuses = ['queued', 'running', 'completed', 'cancelled'] as const;
export type ImportStatus = (typeof importStatuses)[number];

export const importSchema = z
  .strictObject({
    import_id: idSchema,
    dry_run: z.boolean().meta({ examples: [false] }),
    status: z.enum(importStatuses).meta({ examples: ['completed'] }),
    rows: z
      .number()
      .int()
      .meta({ examples: [2] }),
    updated: z.number().int().describe('Rows that were applied; in a dry run, that would be.'),
    failed: z.number().int(),
    errors: z
      .array(
        z.strictObject({
          row: z
            .number()
            .int()
            .describe('The row in the file: the header is row 1.')
            .meta({ examples: [3] }),
          code: z.string().meta({ examples: ['subscriber_not_found'] }),
        }),
      )
      .describe(`The first ${limits.importErrors} failed rows.`),
    created_at: timestampSchema,
    ended_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:30:02.000+00:00'] }),
  })
  .meta({ id: 'SubscriberImport' });
export type ImportView = z.infer<typeof importSchema>;
