import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  channelLinks,
  channels,
  channelSchema,
  idSchema,
  languages,
  pageQuery,
  timestampSchema,
  exampleId,
} from '../../base/contract/common';
import { AppError } from '../../base/contract/errors';
import { isIpAddress } from '../../base/contract/ip-address';
import { limits } from '../../base/contract/limits';
import { externalIdSchema, subscriberIdSchema } from '../subscribers/contract';

/** 1 to 128 printable ASCII characters without space, <, > and &. */
const STATE = /^[\x21-\x25\x27-\x3b\x3d\x3f-\x7e]+$/;

export const authLinkSchema = z.lazy(() =>
  z
    .strictObject(channelLinks())
    .extend({ configured: z.boolean().describe('Whether the project has a callback URL.') }),
);

const stateSchema = z
  .string()
  .min(1, { abort: true })
  .check(characters(limits.authStateLength))
  .regex(STATE, 'must be printable ASCII without spaces, <, > and &')
  .describe('Your own value. It is returned with the code and in `auth.completed`.');

const clientIpSchema = z.string().refine(isIpAddress, 'must be an IP address').optional();
const userAgentSchema = z
  .string()
  .min(1)
  .check(characters(limits.userAgentLength))
  .optional()
  .describe('The user’s device. The bot shows it.');

export const newSessionSchema = z
  .strictObject({
    state: stateSchema,
    redirect_uri: z
      .string()
      .check(characters(limits.urlLength))
      .optional()
      .describe(
        'Where the user returns to. It must exactly match the callback URL or a redirect URL of the project.',
      ),
    client_ip: clientIpSchema.describe(
      'IP address of the user’s browser. The bot shows it; sessions are also limited per address.',
    ),
    user_agent: userAgentSchema,
    code_challenge: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be 43 base64url characters (S256 of the verifier)')
      .optional()
      .describe(
        'PKCE challenge: S256 of a verifier that only your backend knows. The code then works only with it.',
      ),
    code_challenge_method: z.literal('S256').optional(),
  })
  .refine((body) => body.code_challenge_method === undefined || body.code_challenge !== undefined, {
    path: ['code_challenge'],
    message: 'is required with code_challenge_method',
  })
  .meta({ examples: [{ state: 'af0ifjsldkj', redirect_uri: 'https://shop.example.com/callback' }] });
export type NewSession = z.infer<typeof newSessionSchema>;

const statusBase = {
  expires_in: z
    .number()
    .int()
    .describe('Seconds until the session expires or, once confirmed, until the code expires.')
    .meta({ examples: [300] }),
  interval: z
    .number()
    .int()
    .describe('Recommended seconds between two polls.')
    .meta({ examples: [2] }),
};

export const createdSessionSchema = z.lazy(() =>
  z
    .strictObject({ session_id: z.string().meta({ examples: [exampleId] }) })
    .extend(channelLinks())
    .extend({
      hosted_url: z
        .string()
        .describe('The hosted login page. It works in the browser that opens it first.')
        .meta({ examples: ['https://herald.example.com/login/…'] }),
      qr_url: z
        .string()
        .describe('QR code of the link; needs no API key. Takes `?channel=` and `?format=`.')
        .meta({ examples: ['https://herald.example.com/v1/auth/session/…/qr'] }),
      match_code: z
        .string()
        .describe('Show it to the user: the bot shows the same code to compare.')
        .meta({ examples: ['K7QX'] }),
      ...statusBase,
    }),
);

export const sessionStatuses = ['pending', 'confirmed', 'declined', 'expired', 'consumed'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** In the login log, a confirmed login whose code was not redeemed in time has a status of its own. */
export const loggedStatuses = [...sessionStatuses, 'unredeemed'] as const;
export type LoggedStatus = (typeof loggedStatuses)[number];
export const declineReasons = ['user', 'billing_blocked'] as const;
export type DeclineReason = (typeof declineReasons)[number];

export const sessionStatusSchema = z
  .discriminatedUnion('status', [
    z.strictObject({ status: z.enum(['pending', 'expired', 'consumed']), ...statusBase }),
    z.strictObject({ status: z.literal('declined'), reason: z.enum(declineReasons), ...statusBase }),
    z.strictObject({
      status: z.literal('confirmed'),
      code: z.string(),
      state: z.string().nullable(),
      redirect_url: z
        .string()
        .nullable()
        .describe('Where to send the user, with code and state; null without a callback URL.'),
      ...statusBase,
    }),
  ])
  .meta({ id: 'SessionStatus' });
export type SessionStatusBody = z.infer<typeof sessionStatusSchema>;

export const statusQuery = z.strictObject({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(limits.authPollWaitSeconds)
    .default(0)
    .describe('Seconds to hold a long poll.'),
});

export const qrQuery = z.strictObject({
  channel: channelSchema.default(() => channels[0] ?? ''),
  format: z.enum(['svg', 'png']).default('svg'),
});

export const verifySchema = z
  .strictObject({
    code: z.string().min(1).check(characters(512)),
    // An empty one is a wrong one, and counts as such.
    code_verifier: z.string().check(characters(512)).optional(),
  })
  .meta({ examples: [{ code: '<code>' }] });

export const verifyResultSchema = z.strictObject({
  subscriber_id: z.string().meta({ examples: [exampleId] }),
  channel: channelSchema,
  first_name: z.string().meta({ examples: ['Anna'] }),
  username: z
    .string()
    .nullable()
    .meta({ examples: ['anna'] }),
  lang: z.enum(languages),
  tags: z.array(z.string()).meta({ examples: [['beta']] }),
});

/** The return address with `code` and `state` appended to whatever query it already has. */
export function returnUrl(base: string, code: string, state: string | null): string {
  return withParameters(base, { code, state });
}

/** The return address of a login that ended without a code. */
export function errorUrl(
  base: string,
  parameters: { error: string; error_description?: string; state: string | null },
): string {
  return withParameters(base, parameters);
}

function withParameters(base: string, parameters: Record<string, string | null>): string {
  // Parsing percent-encodes a Cyrillic path as a browser would; the query that is there stays byte for byte.
  const url = new URL(base);
  const added = Object.entries(parameters).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${encodeURIComponent(value)}`],
  );
  url.search = [url.search.replace(/^\?/, ''), ...added].filter((part) => part !== '').join('&');
  return url.href;
}

export const requestPurposes = ['approval', 'login'] as const;
export type RequestPurpose = (typeof requestPurposes)[number];

/** Line breaks, control characters and changes of the writing direction: they could forge a line with a match code. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

export const newRequestSchema = z
  .strictObject({
    subscriber_id: subscriberIdSchema.optional(),
    external_id: externalIdSchema
      .optional()
      .describe(
        'Instead of subscriber_id: all its active subscribers are asked, and the first answer counts.',
      ),
    message: z
      .string()
      .min(1, { abort: true })
      .check(characters(limits.authRequestMessageLength))
      .refine((text) => text.trim() !== '', 'must not be empty')
      .refine((text) => !UNSAFE.test(text), 'must be one line without control or bidirectional characters')
      .describe(
        `What the subscriber is asked: 1 to ${limits.authRequestMessageLength} characters on one line.`,
      ),
    purpose: z
      .enum(requestPurposes)
      .default('approval')
      .describe('`login` gives a one-time code, as a session does; `approval` only the answer.'),
    state: stateSchema.optional(),
    expires_in: z
      .number()
      .int()
      .min(limits.authRequestSeconds.min)
      .max(limits.authRequestSeconds.max)
      .default(limits.authRequestSeconds.default)
      .describe('Seconds to wait for the answer.'),
    client_ip: clientIpSchema.describe('IP address of the user’s browser. The bot shows it.'),
    user_agent: userAgentSchema,
  })
  .refine((body) => body.subscriber_id === undefined || body.external_id === undefined, {
    params: { error: new AppError('mutually_exclusive_identifiers') },
  })
  .refine((body) => body.subscriber_id !== undefined || body.external_id !== undefined, {
    path: ['subscriber_id'],
    message: 'is required, or external_id',
  })
  .refine((body) => body.purpose !== 'login' || body.state !== undefined, {
    path: ['state'],
    message: 'is required with the purpose login',
  })
  .meta({ examples: [{ subscriber_id: '<subscriber_id>', message: 'Approve the payment of 50 €?' }] });
export type NewRequest = z.output<typeof newRequestSchema>;

export const createdRequestSchema = z.strictObject({
  request_id: z.string().meta({ examples: [exampleId] }),
  status: z.literal('pending'),
  match_code: z
    .string()
    .describe('Show it to the user: the bot shows the same code to compare.')
    .meta({ examples: ['K7QX'] }),
  expires_in: z
    .number()
    .int()
    .describe('Seconds until the request expires.')
    .meta({ examples: [300] }),
});

const requestBase = {
  request_id: z.string().meta({ examples: [exampleId] }),
  subscriber_id: z
    .string()
    .nullable()
    .describe('Who answered or, before that, who was asked; null if several were asked.'),
  decided_at: timestampSchema.nullable().meta({ examples: [null] }),
  expires_in: z
    .number()
    .int()
    .describe('Seconds until the request or, once approved, its code expires.')
    .meta({ examples: [300] }),
};

export const requestStatusSchema = z
  .discriminatedUnion('status', [
    z.strictObject({ status: z.enum(['pending', 'expired']), ...requestBase }),
    z.strictObject({
      status: z.literal('approved'),
      code: z.string().optional().describe('For the purpose `login`, until it is redeemed.'),
      state: z.string().optional().describe('With the code.'),
      ...requestBase,
    }),
    z.strictObject({
      status: z.literal('declined'),
      reason: z
        .literal('billing_blocked')
        .optional()
        .describe('Only if the subscriber tapped Yes and the project had no credits.'),
      ...requestBase,
    }),
  ])
  .meta({ id: 'Approval' });
export type RequestStatusBody = z.infer<typeof requestStatusSchema>;

export const sessionFlows = ['session', 'static', 'oidc', 'push'] as const;
export type SessionFlow = (typeof sessionFlows)[number];

/** An entry of the login log; never contains the code. */
export const sessionRecordSchema = z
  .strictObject({
    session_id: idSchema,
    flow: z
      .enum(sessionFlows)
      .describe('`static` is a login by the static link, `oidc` one by OpenID Connect, `push` an approval.'),
    client_name: z
      .string()
      .nullable()
      .describe('The OpenID Connect client of a login by `oidc`, as it is now.'),
    purpose: z
      .enum(requestPurposes)
      .nullable()
      .describe('Of an approval; null for other flows.')
      .meta({ examples: [null] }),
    message: z.string().nullable().describe('What the subscriber was asked in an approval.'),
    status: z
      .enum(loggedStatuses)
      .describe(
        '`unredeemed`: the user tapped Yes, and the code was not redeemed in time. An approval is `consumed` at once.',
      )
      .meta({ examples: ['consumed'] }),
    reason: z
      .enum(declineReasons)
      .nullable()
      .describe('Why the login was declined.')
      .meta({ examples: [null] }),
    confirmed: z.boolean().describe('Whether the user tapped Yes.'),
    channel: channelSchema.nullable().describe('Null until a user opens the link.'),
    subscriber_id: z
      .string()
      .nullable()
      .meta({ examples: [exampleId] }),
    first_name: z
      .string()
      .nullable()
      .describe('Of the subscriber, as it is now.')
      .meta({ examples: ['Anna'] }),
    username: z
      .string()
      .nullable()
      .meta({ examples: ['anna'] }),
    state: z
      .string()
      .nullable()
      .meta({ examples: ['af0ifjsldkj'] }),
    client_ip: z
      .string()
      .nullable()
      .meta({ examples: ['203.0.113.7'] }),
    user_agent: z.string().nullable(),
    created_at: timestampSchema,
    expires_at: timestampSchema
      .describe('When the session expires without an answer.')
      .meta({ examples: ['2026-01-15T10:40:00.000+00:00'] }),
    decided_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:30:20.000+00:00'] }),
    redeemed_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:30:21.000+00:00'] }),
  })
  .meta({ id: 'Login' });
export type SessionRecord = z.infer<typeof sessionRecordSchema>;

export const sessionParams = z.strictObject({ id: idSchema });
export const sessionListQuery = z.strictObject({
  status: z.enum(loggedStatuses).optional(),
  flow: z.enum(sessionFlows).optional(),
  channel: channelSchema.optional(),
  subscriber_id: subscriberIdSchema.optional().describe('Only logins of this subscriber.'),
  ...pageQuery,
});

export const loginSteps = ['created', 'opened', 'confirmed', 'declined', 'expired', 'redeemed'] as const;
export type LoginStep = (typeof loginSteps)[number];

export const loginStatsQuery = z.strictObject({
  days: z.coerce
    .number()
    .int()
    .min(1)
    .max(limits.authStatsDays)
    .default(30)
    .describe('Days (UTC) back from today, which is included.'),
});

const stepCounts = {
  created: z
    .number()
    .int()
    .meta({ examples: [12] }),
  opened: z
    .number()
    .int()
    .describe('The bot has asked the user.')
    .meta({ examples: [10] }),
  confirmed: z
    .number()
    .int()
    .meta({ examples: [8] }),
  declined: z
    .number()
    .int()
    .meta({ examples: [2] }),
  expired: z
    .number()
    .int()
    .describe('Ended without an answer.')
    .meta({ examples: [2] }),
  redeemed: z
    .number()
    .int()
    .meta({ examples: [8] }),
};
/** With two messengers, the sum of the day above without the logins that were never opened. */
const stepsOfChannel = z
  .strictObject(stepCounts)
  .meta({ examples: [{ created: 5, opened: 5, confirmed: 4, declined: 1, expired: 0, redeemed: 4 }] });
export const loginStatsSchema = z.strictObject({
  days: z
    .array(z.strictObject({ date: z.iso.date(), ...stepCounts }))
    .describe('Each step on the day on which it happened, the oldest day first.'),
  by_channel: z
    .lazy(() => z.strictObject(Object.fromEntries(channels.map((each) => [each, stepsOfChannel]))))
    .describe('Of all these days together. A login belongs to a messenger from its opening on.'),
  median_seconds_to_confirm: z
    .number()
    .int()
    .nullable()
    .describe('From the creation to Yes; above a minute in tens of seconds. Null without a confirmed login.'),
});
export type LoginStats = z.infer<typeof loginStatsSchema>;
