import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  exampleChannel,
  channelSchema,
  givenTimeSchema,
  idSchema,
  pageQuery,
  queryNumber,
  timestampSchema,
  exampleId,
} from '../../base/contract/common';
import {
  checkContent,
  givenContentFields,
  isRenderable,
  isTemplated,
  normalContent,
  varsSchema,
  type ContentButton,
  type GivenContent,
  type InlineContent,
  type MessageMedia,
} from '../../base/contract/content';
import { limits } from '../../base/contract/limits';
import { failureReasons } from '../events/contract';
import { checkRecipient, externalIdSchema, labelSchema, subscriberIdSchema } from '../subscribers/contract';

/** What Herald has found out about media, before it sends the first message with it. */
export interface MediaFacts {
  /** Null if its server does not state the size. */
  bytes: number | null;
  /** Identifies the content, so that it is uploaded once. */
  key: string;
}

/** The content as it is stored, with the facts about its media. Until they are known they are missing. */
export type MessageContent = Omit<InlineContent, 'buttons' | 'media'> & {
  /** `given`: the text before it was rendered, where it differs. */
  buttons: (ContentButton & { given?: string })[][];
  media?: (MessageMedia & Partial<MediaFacts>) | undefined;
};

/** The content of a message, as it was sent. */
export const contentViewSchema = z
  .strictObject({
    text: z
      .string()
      .nullable()
      .describe('Null for a template.')
      .meta({ examples: ['Your order is on its way.'] }),
    format: z.enum(['plain', 'markdown', 'html']),
    buttons: z
      .array(
        z.array(
          z.strictObject({ text: z.string(), url: z.string().optional(), data: z.string().optional() }),
        ),
      )
      .meta({ examples: [[[{ text: 'Track it', url: 'https://shop.example.com/orders/1001' }]]] }),
    media: z
      .strictObject({
        type: z.enum(['photo', 'video', 'document']),
        url: z.string().meta({ examples: ['https://shop.example.com/summer.jpg'] }),
      })
      .nullable(),
    personalize: z
      .boolean()
      .describe('Whether the text was given with placeholders.')
      .meta({ examples: [false] }),
    template: z.string().nullable().describe('The key of the template, if the message was given as one.'),
    vars: varsSchema,
  })
  .meta({ id: 'SentContent' });

export type ContentView = z.infer<typeof contentViewSchema>;

/** The message without its recipients. */
export function contentOf(request: GivenContent): GivenContent {
  if (isTemplated(request)) return { template: request.template, vars: request.vars };
  const { text, format, buttons, media } = request;
  const content = { text, format, buttons, ...(media ? { media } : {}) };
  return isRenderable(request) ? { ...content, personalize: true, vars: request.vars } : content;
}

/** The body of /v1/send, and of each message of a batch. */
export const sendFields = {
  subscriber_id: subscriberIdSchema.optional(),
  external_id: externalIdSchema.optional(),
  channels: z.array(channelSchema).min(1).optional().describe('Only these channels. Default: all.'),
  ...givenContentFields,
  permission: labelSchema.optional().describe('Send only to subscribers with this permission.'),
};

export const sendSchema = z
  .strictObject(sendFields)
  .superRefine(checkContent)
  .superRefine(checkRecipient)
  .transform(normalContent)
  .meta({
    examples: [
      {
        subscriber_id: '<subscriber_id>',
        text: 'Your order is on its way.',
        buttons: [[{ text: 'Track it', url: 'https://shop.example.com/orders/1001' }]],
      },
    ],
  });
export type SendRequest = z.output<typeof sendSchema>;

/** Why a message was not attempted. */
export const skipReasons = ['unsubscribed', 'permission_missing'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Why a message was not sent: the specification's reasons, and those of messages that were not attempted. */
export const sendReasons = [...failureReasons, ...skipReasons] as const;
export type SendReason = (typeof sendReasons)[number];

export const sendDetailSchema = z
  .strictObject({
    subscriber_id: z.string(),
    channel: channelSchema,
    status: z.enum(['sent', 'failed', 'skipped']),
    delivery_id: z
      .string()
      .nullable()
      .describe('Identifies the message in `delivery.success` and `button.clicked`; null if it was skipped.'),
    reason: z.enum(sendReasons).optional(),
  })
  .meta({
    id: 'SendDetail',
    examples: [{ subscriber_id: exampleId, channel: exampleChannel, status: 'sent', delivery_id: exampleId }],
  });
export type SendDetail = z.infer<typeof sendDetailSchema>;

export const sendResponseSchema = z.strictObject({
  sent: z.number().int(),
  failed: z
    .number()
    .int()
    .meta({ examples: [0] }),
  skipped: z
    .number()
    .int()
    .describe('Unsubscribed, or without the permission: nothing was sent.')
    .meta({ examples: [0] }),
  details: z.array(sendDetailSchema),
});
export type SendResponse = z.infer<typeof sendResponseSchema>;

export const messageSources = [
  'send',
  'otp',
  'batch',
  'broadcast',
  'scheduled',
  'recurring',
  'drip',
  'bot',
  'ticket',
  'form',
] as const;
export type MessageSource = (typeof messageSources)[number];
export const messageStatuses = ['queued', 'sending', 'sent', 'failed', 'skipped'] as const;

/** A message to one subscriber, single or of a broadcast. */
export const messageRecordSchema = z
  .strictObject({
    delivery_id: idSchema,
    subscriber_id: z
      .string()
      .nullable()
      .describe('Null if the subscriber was removed.')
      .meta({ examples: [exampleId] }),
    source: z.enum(messageSources).describe('Where it comes from.'),
    source_id: idSchema
      .nullable()
      .describe(
        'The batch, broadcast, scheduled or recurring message, chain, ticket or form that it comes from; null for a single message or code.',
      ),
    channel: channelSchema,
    status: z.enum(messageStatuses).meta({ examples: ['sent'] }),
    reason: z
      .enum([...sendReasons, 'cancelled', 'too_late'])
      .nullable()
      .describe(
        'Why it was not sent; `cancelled` if its broadcast was cancelled before, `too_late` if its time had passed long before.',
      )
      .meta({ examples: [null] }),
    text: z
      .string()
      .nullable()
      .describe('Null for a one-time code.')
      .meta({ examples: ['Your order is on its way.'] }),
    created_at: timestampSchema,
    ended_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:30:02.000+00:00'] }),
    clicks: z
      .array(
        z.strictObject({ clicked_at: timestampSchema.meta({ examples: ['2026-01-15T10:31:00.000+00:00'] }) }),
      )
      .describe('Taps on its buttons, oldest first, at most 20.'),
  })
  .meta({ id: 'Message' });
export type MessageRecord = z.infer<typeof messageRecordSchema>;

/** A message with its whole content. */
export const messageSchema = z.strictObject({
  ...messageRecordSchema.shape,
  content: contentViewSchema.nullable().describe('As it was sent. Null for a one-time code.'),
});

export const messageParams = z.strictObject({ delivery_id: idSchema });
export const messageListQuery = z.strictObject({
  source: z.enum(messageSources).optional(),
  source_id: idSchema.optional(),
  subscriber_id: subscriberIdSchema.optional(),
  status: z.enum(messageStatuses).optional(),
  since: givenTimeSchema.optional().describe('Only messages created at this time or later.'),
  ...pageQuery,
});

export const messageStatsQuery = z.strictObject({ hours: queryNumber([24, 168]).default(24) });
export const messageStatsSchema = z.strictObject({
  sent: z.number().int(),
  failed: z.number().int(),
});

const purposeSchema = z
  .string()
  .regex(
    new RegExp(`^[A-Za-z0-9_.:-]{1,${limits.otpPurposeLength}}$`),
    `must be 1 to ${limits.otpPurposeLength} characters of A-Z a-z 0-9 _ . : -`,
  )
  .default('default')
  .describe('Codes with different purposes are independent.');

const { otpTtlMinutes: ttl, otpAttempts: attempts } = limits;

export const sendOtpSchema = z
  .strictObject({
    subscriber_id: subscriberIdSchema,
    purpose: purposeSchema,
    ttl_minutes: z.number().int().min(ttl.min).max(ttl.max).default(ttl.default),
    max_attempts: z.number().int().min(attempts.min).max(attempts.max).default(attempts.default),
    code_length: z.union([z.literal(4), z.literal(6), z.literal(8)], 'must be 4, 6 or 8').default(6),
  })
  .meta({ examples: [{ subscriber_id: '<subscriber_id>', purpose: 'payment' }] });
export type SendOtp = z.output<typeof sendOtpSchema>;

export const sentOtpSchema = z.strictObject({
  sent: z.literal(true),
  expires_in_seconds: z
    .number()
    .int()
    .meta({ examples: [300] }),
});

export const verifyOtpSchema = z
  .strictObject({
    subscriber_id: subscriberIdSchema,
    code: z.string().min(1).check(characters(32)),
    purpose: purposeSchema,
  })
  .meta({ examples: [{ subscriber_id: '<subscriber_id>', purpose: 'payment', code: '123456' }] });
export type VerifyOtp = z.output<typeof verifyOtpSchema>;

export const verifiedOtpSchema = z.strictObject({ verified: z.literal(true) });
