import { z } from 'zod';
import { channelSchema, idSchema, pageQuery, timestampSchema } from '../contract/common';
import { AppError } from '../contract/errors';
import { limits, MIB } from '../contract/limits';
import { failureReasons } from '../events/contract';
import { externalIdSchema, labelSchema, subscriberIdSchema } from '../subscribers/contract';

function webUrl(field: string) {
  return z
    .string()
    .max(limits.urlLength)
    .refine(isWebUrl, {
      params: { error: new AppError('invalid_url', `${field}: must be an absolute http or https URL`) },
    });
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

const buttonSchema = z
  .strictObject({
    text: z.string().min(1).max(limits.buttonTextLength),
    url: webUrl('buttons').optional(),
    data: z.string().min(1).max(limits.buttonDataLength).optional().describe('Returned in `button.clicked`.'),
  })
  .refine(
    (button) => (button.url === undefined) !== (button.data === undefined),
    'must have either url or data',
  );

/** The messengers count UTF-16 units; `max` counts characters, as does the API description. */
const TEXT_TOO_LONG = `can have up to ${limits.messageTextLength} characters; most emoji count as two or more`;

/** The content of a message, in /v1/send and in broadcasts. */
export const contentFields = {
  text: z
    .string()
    .max(limits.messageTextLength, { error: TEXT_TOO_LONG, abort: true })
    .refine((text) => text.length <= limits.messageTextLength, TEXT_TOO_LONG)
    .refine((text) => text.trim() !== '', 'must not be empty')
    .describe(
      `Up to ${limits.messageTextLength} characters, counted as the messengers do: in UTF-16 units, of which most emoji have two or more.`,
    ),
  format: z.enum(['plain', 'markdown', 'html']).default('plain'),
  buttons: z
    .array(z.array(buttonSchema).min(1).max(limits.buttonsPerRow))
    .max(limits.buttonRows)
    .default([])
    .describe('Rows of buttons; each button has either `url` or `data`.'),
  media: z
    .strictObject({ type: z.enum(['photo', 'video', 'document']), url: webUrl('media.url') })
    .optional()
    .describe(
      `A photo of up to ${limits.photoBytes / MIB} MB, or a video or document of up to ${limits.videoOrDocumentBytes / MIB} MB. Telegram shows a photo over 10 MB as a document.`,
    ),
};

export const contentSchema = z.strictObject(contentFields);
type RequestedContent = z.output<typeof contentSchema>;
export type MessageMedia = NonNullable<RequestedContent['media']>;

/** What Herald has found out about media, before it sends the first message with it. */
export interface MediaFacts {
  /** Null if its server does not state the size. */
  bytes: number | null;
  /** Identifies the content, so that it is uploaded once. */
  key: string;
}

/** The content as it is stored. Messages of 0.1.0 have no facts. */
export type MessageContent = Omit<RequestedContent, 'media'> & {
  media?: (MessageMedia & Partial<MediaFacts>) | undefined;
};

/** The content of a message, as it was sent. */
export const contentViewSchema = z.strictObject({
  text: z.string(),
  format: z.enum(['plain', 'markdown', 'html']),
  buttons: z.array(
    z.array(z.strictObject({ text: z.string(), url: z.string().optional(), data: z.string().optional() })),
  ),
  media: z.strictObject({ type: z.enum(['photo', 'video', 'document']), url: z.string() }).nullable(),
});

/** Without what Herald has found out about the media. */
export function viewContent({ text, format, buttons, media }: MessageContent): ContentView {
  return { text, format, buttons, media: media ? { type: media.type, url: media.url } : null };
}
export type ContentView = z.infer<typeof contentViewSchema>;

export const sendSchema = z
  .strictObject({
    subscriber_id: subscriberIdSchema.optional(),
    external_id: externalIdSchema.optional(),
    channels: z.array(channelSchema).min(1).optional().describe('Only these channels. Default: all.'),
    ...contentFields,
    permission: labelSchema.optional().describe('Send only to subscribers with this permission.'),
  })
  .refine((body) => body.subscriber_id === undefined || body.external_id === undefined, {
    params: { error: new AppError('mutually_exclusive_identifiers') },
  })
  .refine((body) => body.subscriber_id !== undefined || body.external_id !== undefined, {
    path: ['subscriber_id'],
    message: 'is required, or external_id',
  });
export type SendRequest = z.output<typeof sendSchema>;

/** Why a message was not sent: the specification's reasons, and two for messages that were not attempted. */
export const sendReasons = [...failureReasons, 'unsubscribed', 'permission_missing'] as const;
export type SendReason = (typeof sendReasons)[number];

export const sendDetailSchema = z.strictObject({
  subscriber_id: z.string(),
  channel: channelSchema,
  status: z.enum(['sent', 'failed']),
  delivery_id: z.string().describe('Identifies the message in `delivery.success` and `button.clicked`.'),
  reason: z.enum(sendReasons).optional(),
});
export type SendDetail = z.infer<typeof sendDetailSchema>;

export const sendResponseSchema = z.strictObject({
  sent: z.number().int(),
  failed: z.number().int(),
  details: z.array(sendDetailSchema),
});
export type SendResponse = z.infer<typeof sendResponseSchema>;

export const messageKinds = ['send', 'otp', 'broadcast'] as const;

/** A message to one subscriber, single or of a broadcast. */
export const messageRecordSchema = z.strictObject({
  delivery_id: idSchema,
  kind: z.enum(messageKinds),
  channel: channelSchema,
  status: z.enum(['queued', 'sending', 'sent', 'failed', 'skipped']),
  reason: z.enum(sendReasons).nullable(),
  text: z.string().nullable().describe('Null for a one-time code.'),
  created_at: timestampSchema,
  ended_at: timestampSchema.nullable(),
  clicked_at: z.array(timestampSchema).describe('Taps on its buttons, oldest first, at most 20.'),
});
export type MessageRecord = z.infer<typeof messageRecordSchema>;

/** A message with its whole content. */
export const messageSchema = z.strictObject({
  ...messageRecordSchema.shape,
  subscriber_id: z.string(),
  content: contentViewSchema.nullable().describe('As it was sent. Null for a one-time code.'),
});
export type MessageView = z.infer<typeof messageSchema>;

export const messageParams = z.strictObject({ delivery_id: idSchema });
export const messageListQuery = z.strictObject({ subscriber_id: subscriberIdSchema, ...pageQuery });

export const messageStatsQuery = z.strictObject({ hours: z.enum(['24', '168']).default('24') });
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

export const sendOtpSchema = z.strictObject({
  subscriber_id: subscriberIdSchema,
  purpose: purposeSchema,
  ttl_minutes: z.number().int().min(ttl.min).max(ttl.max).default(ttl.default),
  max_attempts: z.number().int().min(attempts.min).max(attempts.max).default(attempts.default),
  code_length: z.union([z.literal(4), z.literal(6), z.literal(8)], 'must be 4, 6 or 8').default(6),
});
export type SendOtp = z.output<typeof sendOtpSchema>;

export const sentOtpSchema = z.strictObject({ sent: z.literal(true), expires_in_seconds: z.number().int() });

export const verifyOtpSchema = z.strictObject({
  subscriber_id: subscriberIdSchema,
  code: z.string().min(1).max(32),
  purpose: purposeSchema,
});
export type VerifyOtp = z.output<typeof verifyOtpSchema>;

export const verifiedOtpSchema = z.strictObject({ verified: z.literal(true) });
