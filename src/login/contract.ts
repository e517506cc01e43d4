import { isIP } from 'node:net';
import { z } from 'zod';
import { channelSchema, idSchema, languages, pageQuery, timestampSchema } from '../contract/common';
import { limits } from '../contract/limits';

/** 1 to 128 printable ASCII characters without space, <, > and &. */
const STATE = /^[\x21-\x25\x27-\x3b\x3d\x3f-\x7e]+$/;

const link = z.string().nullable().describe('Opens the bot; null where the channel is not offered.');

export const authLinkSchema = z.strictObject({
  telegram_link: link,
  max_link: link,
  configured: z.boolean().describe('Whether the project has a callback URL.'),
});

export const newSessionSchema = z
  .strictObject({
    state: z
      .string()
      .min(1)
      .max(limits.authStateLength)
      .regex(STATE, 'must be printable ASCII without space, <, > and &')
      .describe('Your own: it comes back with the code and in `auth.completed`.'),
    redirect_uri: z
      .string()
      .max(2048)
      .optional()
      .describe(
        'Where the user returns to: the callback URL or a redirect URL of the project, to the letter.',
      ),
    client_ip: z
      .string()
      .refine((text) => isIP(text) !== 0, 'must be an IP address')
      .optional()
      .describe('Address of the user’s browser: shown in the question, and limited by itself.'),
    user_agent: z.string().min(1).max(512).optional().describe('The device that the question names.'),
    code_challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 43 base64url characters: the S256 of the verifier')
      .optional()
      .describe('S256 of a verifier that only your backend knows; the code then works with it alone.'),
    code_challenge_method: z.literal('S256').optional(),
  })
  .refine((body) => body.code_challenge_method === undefined || body.code_challenge !== undefined, {
    path: ['code_challenge'],
    message: 'is needed where code_challenge_method is given',
  });
export type NewSession = z.infer<typeof newSessionSchema>;

const statusBase = {
  expires_in: z.number().int().describe('Seconds left: of the wait, once confirmed of the code.'),
  interval: z.number().int().describe('Seconds between two polls.'),
};

export const createdSessionSchema = z.strictObject({
  session_id: z.string(),
  telegram_link: link,
  max_link: link,
  hosted_url: z.string().describe('The ready login page; works in the browser that opens it first.'),
  qr_url: z
    .string()
    .describe('Picture of the link’s QR code; needs no key. `?channel=` and `?format=` choose.'),
  match_code: z.string().describe('The bot shows it too: let the user compare.'),
  ...statusBase,
});

export const sessionStatuses = ['pending', 'confirmed', 'declined', 'expired', 'consumed'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];
export const declineReasons = ['user', 'billing_blocked'] as const;
export type DeclineReason = (typeof declineReasons)[number];

export const sessionStatusSchema = z.discriminatedUnion('status', [
  z.strictObject({ status: z.enum(['pending', 'expired', 'consumed']), ...statusBase }),
  z.strictObject({ status: z.literal('declined'), reason: z.enum(declineReasons), ...statusBase }),
  z.strictObject({
    status: z.literal('confirmed'),
    code: z.string(),
    state: z.string().nullable(),
    redirect_url: z
      .string()
      .nullable()
      .describe('Where the user goes next, with code and state; null without a callback URL.'),
    ...statusBase,
  }),
]);
export type SessionStatusBody = z.infer<typeof sessionStatusSchema>;

export const statusQuery = z.object({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(limits.authPollWaitSeconds)
    .default(0)
    .describe('Seconds of a long poll.'),
});

export const qrQuery = z.object({
  channel: channelSchema.default('telegram'),
  format: z.enum(['svg', 'png']).default('svg'),
});

export const verifySchema = z.strictObject({
  code: z.string().min(1).max(512),
  code_verifier: z.string().min(1).max(512).optional(),
});

export const verifyResultSchema = z.strictObject({
  subscriber_id: z.string(),
  channel: channelSchema,
  first_name: z.string(),
  username: z.string().nullable(),
  lang: z.enum(languages),
  tags: z.array(z.string()),
});

/** The return address with `code` and `state` appended to whatever query it already has. */
export function returnUrl(base: string, code: string, state: string | null): string {
  // Parsing percent-encodes a Cyrillic path as a browser would; the query that is there stays byte for byte.
  const url = new URL(base);
  const added = [`code=${encodeURIComponent(code)}`];
  if (state !== null) added.push(`state=${encodeURIComponent(state)}`);
  url.search = [url.search.replace(/^\?/, ''), ...added].filter((part) => part !== '').join('&');
  return url.href;
}

export const sessionFlows = ['session', 'static'] as const;

/** A login as the log shows it: who and when, never the code. */
export const sessionRecordSchema = z.strictObject({
  session_id: idSchema,
  flow: z.enum(sessionFlows).describe('`static` is a login by the permanent link.'),
  status: z.enum(sessionStatuses),
  reason: z.enum(declineReasons).nullable().describe('Why it was declined.'),
  channel: channelSchema.nullable().describe('Null until a user has opened the link.'),
  subscriber_id: z.string().nullable(),
  state: z.string().nullable(),
  client_ip: z.string().nullable(),
  created_at: timestampSchema,
  expires_at: timestampSchema.describe('End of the wait for an answer.'),
  decided_at: timestampSchema.nullable(),
  consumed_at: timestampSchema.nullable(),
});
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

export const sessionListQuery = z.strictObject({
  status: z.enum(sessionStatuses).optional(),
  flow: z.enum(sessionFlows).optional(),
  channel: channelSchema.optional(),
  ...pageQuery,
});
