import { z } from 'zod';
import { characters } from './characters';
import { isUuid } from './ids';
import { limits } from './limits';
import { isTimeZone } from './zones';

/** The name of a messenger, such as `telegram`. */
export type Channel = string;

/** The names of the messengers. Filled by src/domains/bots/registry.ts before any schema is used. */
export const channels: Channel[] = [];
/* In examples of the API description. */
export const exampleChannel = 'telegram';
export const exampleId = '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01';
export const exampleTime = '2026-01-15T10:30:00.000+00:00';
/** A link to a bot of each messenger. Filled like `channels`. */
export const exampleLinks: Record<Channel, string> = {};

export const channelSchema = z.lazy(() => z.enum(channels));

type ChannelFields<Suffix extends string> = Record<`${Channel}_${Suffix}`, z.ZodNullable<z.ZodString>>;

/** One field for each messenger, named after it: `telegram_link`. For schemas in `z.lazy`. */
export function channelFields<Suffix extends string>(
  suffix: Suffix,
  description: string,
  examples: Record<Channel, string> = {},
): ChannelFields<Suffix> {
  const field = z.string().nullable().describe(description);
  return Object.fromEntries(
    channels.map((channel) => [
      `${channel}_${suffix}`,
      field.meta({ examples: [examples[channel] ?? null] }),
    ]),
  ) as ChannelFields<Suffix>;
}

/** The links that open the bots. */
export const channelLinks = () =>
  channelFields('link', 'Opens the bot; null if the channel is not offered.', exampleLinks);

export const languages = ['ru', 'en'] as const;
export type Language = (typeof languages)[number];

/** A time that a caller gives: ISO 8601 with any offset. */
export const givenTimeSchema = z.iso
  .datetime({ offset: true })
  .refine(isStorable, 'must be a time of the years 1 to 9999, with an offset of less than 16 hours');

/** Whether both PostgreSQL and responses can express it. What is no time at all has its own message. */
function isStorable(text: string): boolean {
  const year = new Date(text).getUTCFullYear();
  if (Number.isNaN(year)) return true;
  return text.length <= 40 && year >= 1 && year <= 9999 && !/[+-](?:1[6-9]|2\d):\d\d$/.test(text);
}

/** A time in responses and events: always UTC, written as `+00:00`. */
export const timestampSchema = givenTimeSchema.refine(
  (text) => text.endsWith('+00:00'),
  'must be written with the offset +00:00',
);

/** The name of a time zone, written as in the IANA database. */
export const timezoneSchema = z
  .string()
  .max(limits.timezoneLength)
  .refine(isTimeZone, 'must be a time zone of the IANA database, such as Europe/Berlin');

/** Ids in paths, in either case. What is not a UUID can name nothing, so the guard answers 404 for it, not 400. */
export const idSchema = z.string().toLowerCase().refine(isUuid, 'must be a UUID').meta({ format: 'uuid' });

export const idParams = z.strictObject({ id: idSchema });

/** Why Herald disables an endpoint: it returned 410 Gone, or every attempt failed for too long. */
export const endpointDisabledReasons = ['gone', 'failing'] as const;
export type EndpointDisabledReason = (typeof endpointDisabledReasons)[number];

/** The subscriber that an event is about. */
export const whoFields = {
  subscriber_id: z
    .string()
    .describe('The user; the same in every event of the project.')
    .meta({ examples: [exampleId] }),
  channel: channelSchema.describe('The messenger.'),
  external_id: z
    .string()
    .nullable()
    .describe('Your own id of the user, if you gave one.')
    .meta({ examples: ['user-42'] }),
};

/** The same where there may be no subscriber: then all three are null. */
export const nullableWhoFields = {
  subscriber_id: z
    .string()
    .min(1)
    .check(characters(128))
    .nullable()
    .meta({ examples: [exampleId] }),
  channel: channelSchema.nullable(),
  external_id: z
    .string()
    .check(characters(limits.externalIdLength))
    .nullable()
    .meta({ examples: ['user-42'] }),
};

const { slugLength } = limits;
export const slugRule = `${slugLength.min} to ${slugLength.max} characters of a-z, 0-9 and -`;

/** Slugs are part of deep links, whose start parameter is short and takes A-Za-z0-9_- only. */
export const slugSchema = z
  .string()
  .regex(new RegExp(`^[a-z0-9-]{${slugLength.min},${slugLength.max}}$`), `must be ${slugRule}`);

/** `true` or `false` in a query. */
export const queryBoolean = z.preprocess(
  (text) => (text === 'true' ? true : text === 'false' ? false : text),
  z.boolean({ error: 'must be true or false' }),
);

/** One of a few whole numbers in a query. */
export function queryNumber(values: readonly number[]) {
  return z.coerce
    .number()
    .refine((value) => values.includes(value), `must be ${values.join(' or ')}`)
    .meta({ type: 'integer', enum: [...values] });
}

const limitSchema = z.coerce.number().int().min(1).max(limits.pageSize.max).default(limits.pageSize.default);

/** Every list is a page. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.strictObject({ data: z.array(item), next_cursor: z.string().nullable() });
}

/** The query of a paged list, newest first; short lists use `shortListQuery`. */
export const pageQuery = {
  cursor: z.string().max(200).optional(),
  limit: limitSchema,
};
