import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  endpointDisabledReasons,
  exampleChannel,
  languages,
  nullableWhoFields,
  timestampSchema,
  whoFields,
} from '../../base/contract/common';
import { jsonSchema } from '../../base/contract/json-schema';
import { limits, planNames } from '../../base/contract/limits';
import { formSubmittedExample, formSubmittedSchema } from './forms/contract';
import { ticketEventSchemas, ticketExample } from './tickets/contract';

/**
 * Every event of the specification. TypeScript types, validation on emit, `GET /v1/event-types`, the OpenAPI `webhooks`,
 * the dashboard's pickers and the docs derive from this registry.
 */
export interface EventEntry<S extends z.ZodType = z.ZodType> {
  summary: string;
  schema: S;
  example: z.infer<S>;
  /** `publisher`: can be published by POST /v1/publish; Herald's own helpdesk and forms emit it too. */
  source: 'herald' | 'publisher';
  /** Not in the catalogue of the specification. */
  extension?: true;
}

function event<S extends z.ZodType>(summary: string, schema: S, example: z.infer<S>) {
  return { summary, schema, example, source: 'herald' } as const;
}

function extension<S extends z.ZodType>(summary: string, schema: S, example: z.infer<S>) {
  return { summary, schema, example, source: 'herald', extension: true } as const;
}

function published<S extends z.ZodType>(summary: string, schema: S, example: z.infer<S>) {
  return { summary, schema, example, source: 'publisher' } as const;
}

const SUBSCRIBER = '4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01';
const MESSAGE = '8c5c1f5a-6c1f-4c36-9f6b-0d8f2b7f9a11';
const MEMBER = '6d2f9a1c-7b3e-4c55-8a90-2f1e0d3c4b51';
const JOB = 'b1a7c0de-52b4-4d0e-9c57-3d9a1e6f7c21';
const AT = '2026-01-15T10:30:00.000+00:00';

export const subscriberFields = {
  ...whoFields,
  first_name: z
    .string()
    .describe('As in the messenger.')
    .meta({ examples: ['Anna'] }),
  username: z
    .string()
    .nullable()
    .describe('In the messenger, without @.')
    .meta({ examples: ['anna'] }),
  lang: z.enum(languages).describe('The language in which the bot talks to the user.'),
  permissions: z
    .array(z.string())
    .describe('What the user agreed to receive.')
    .meta({ examples: [['news']] }),
  tags: z
    .array(z.string())
    .describe('Labels that your project gave.')
    .meta({ examples: [['beta']] }),
  active: z.boolean().describe('Whether messages can be sent: false after /stop or a block.'),
  blocked: z
    .boolean()
    .describe('Whether the user has blocked the bot.')
    .meta({ examples: [false] }),
  created_at: timestampSchema.describe('When the user first subscribed.'),
};

const subscriber = z.strictObject(subscriberFields);
export type SubscriberFields = z.infer<typeof subscriber>;

/** A person who is plainly made up: a test event sends the example, and receivers may not read its header. */
const subscriberExample: SubscriberFields = {
  subscriber_id: SUBSCRIBER,
  channel: exampleChannel,
  external_id: 'test',
  first_name: 'Test User',
  username: 'test_user',
  lang: 'en',
  permissions: ['news'],
  tags: ['beta'],
  active: true,
  blocked: false,
  created_at: AT,
};

const recipientExample = { subscriber_id: SUBSCRIBER, channel: exampleChannel, external_id: 'test' };

export const failureReasons = [
  'user_blocked_bot',
  'chat_not_found',
  'bot_banned',
  'invalid_message',
  'rate_limited',
  'platform_unavailable',
  'unknown',
] as const;
export type FailureReason = (typeof failureReasons)[number];

const broadcastCounts = z.strictObject({
  job_id: z.string().describe('The broadcast.'),
  sent: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int().describe('Inactive or unsubscribed, or not reached before a cancellation.'),
  total: z.number().int().describe('All recipients.'),
});
const broadcastExample = { job_id: JOB, sent: 940, failed: 35, skipped: 25, total: 1000 };

const otp = z.strictObject({
  ...whoFields,
  purpose: z.string().describe('As given when the code was sent.'),
  occurred_at: timestampSchema,
});
const otpExample = { ...recipientExample, purpose: 'login', occurred_at: AT };
const otpAttempt = z.strictObject({
  ...otp.shape,
  attempts_left: z.number().int().describe('Before the code is void.'),
});

const scheduled = z.strictObject({
  scheduled_id: z.string().describe('As in the response of /v1/scheduled.'),
  name: z.string().nullable(),
  ...nullableWhoFields,
  delivery_id: z
    .string()
    .nullable()
    .describe('The message; null for an audience, and where no message was created.'),
  job_id: z.string().nullable().describe('The broadcast of an audience; null for a subscriber.'),
  occurred_at: timestampSchema,
});
const scheduledExample = {
  scheduled_id: JOB,
  name: 'Reminder',
  ...recipientExample,
  delivery_id: MESSAGE,
  job_id: null,
  occurred_at: AT,
};
const scheduledReason = z.strictObject({
  ...scheduled.shape,
  reason: z
    .string()
    .describe(
      'Why: as in /v1/send, or `billing_blocked`, `subscriber_not_found`, `too_late`, `empty_audience`, `too_many_jobs`.',
    ),
});

const ENROLMENT = '3e9b2d7a-1c5f-4a68-b0d4-7f2c9e1a5b31';
const drip = z.strictObject({
  drip_id: z.string().describe('As in the response of /v1/drip-chains.'),
  name: z.string().describe('The name of the chain.'),
  enrolment_id: z.string(),
  version: z.number().int().describe('The version of the chain that the enrolment goes by.'),
  ...whoFields,
  occurred_at: timestampSchema,
});
const dripExample = {
  drip_id: JOB,
  name: 'Welcome',
  enrolment_id: ENROLMENT,
  version: 1,
  ...recipientExample,
  occurred_at: AT,
};

const ENDPOINT = '2b7d4c1e-0f6a-4d3b-9c8e-5a1f7e6d4c21';
const endpointChange = z.strictObject({
  endpoint_id: z.string(),
  url: z.string(),
  occurred_at: timestampSchema,
});
const endpointExample = { endpoint_id: ENDPOINT, url: 'https://shop.example/hooks', occurred_at: AT };

const approvalDecision = z.strictObject({
  request_id: z.string().describe('As in the response of POST /v1/auth/requests.'),
  ...whoFields,
  message: z.string().describe('What the subscriber was asked.'),
  decided_at: timestampSchema,
});
const approvalExample = {
  request_id: 'c6f0b0a4-3a53-4f0a-8f4c-0c9a4f7d2e61',
  ...recipientExample,
  message: 'Approve the payment of 50 €?',
  decided_at: AT,
};

const credits = z.strictObject({
  plan: z.enum(planNames),
  month: z.string().describe('As YYYY-MM, in UTC.'),
  used: z.number().int().describe('Logins of this month that the plan has paid for.'),
  included: z.number().int().describe('Logins that the plan includes in a month.'),
  purchased: z.number().int().describe('Purchased credits that are left.'),
  occurred_at: timestampSchema,
});
const creditsExample = {
  plan: 'free' as const,
  month: '2026-01',
  used: 80,
  included: 100,
  purchased: 0,
  occurred_at: AT,
};

export const eventRegistry = {
  'subscription.created': event(
    'A user subscribed, for the first time or again.',
    subscriber,
    subscriberExample,
  ),
  'subscription.deleted': event('A user unsubscribed, blocked the bot or was removed.', subscriber, {
    ...subscriberExample,
    active: false,
    blocked: true,
  }),
  'subscription.permission_changed': event(
    'The permissions of a subscriber changed.',
    z.strictObject({
      ...whoFields,
      permissions: z.array(z.string()).describe('After the change.'),
      previous: z.array(z.string()).describe('Before the change.'),
      occurred_at: timestampSchema,
    }),
    { ...recipientExample, permissions: ['news', 'offers'], previous: ['news'], occurred_at: AT },
  ),
  'delivery.success': event(
    'A message was delivered to the messenger.',
    z.strictObject({
      ...whoFields,
      delivery_id: z.string().describe('The message, as in the response of /v1/send.'),
      delivered_at: timestampSchema,
    }),
    { ...recipientExample, delivery_id: MESSAGE, delivered_at: AT },
  ),
  'delivery.failed': event(
    'A message could not be delivered.',
    z.strictObject({
      ...whoFields,
      reason: z.enum(failureReasons).describe('Why the message was not delivered.'),
      retryable: z.boolean().describe('Whether sending again later can succeed.'),
      should_unsubscribe: z.boolean().describe('Whether to stop sending to this user.'),
      error: z.string().describe('The text of the messenger, or of Herald if it did not call the messenger.'),
      attempted_at: timestampSchema,
    }),
    {
      ...recipientExample,
      reason: 'user_blocked_bot',
      retryable: false,
      should_unsubscribe: true,
      error: 'Forbidden: bot was blocked by the user',
      attempted_at: AT,
    },
  ),
  'broadcast.completed': event('A broadcast was fully processed.', broadcastCounts, broadcastExample),
  'broadcast.cancelled': event('A broadcast was cancelled.', broadcastCounts, broadcastExample),
  'batch.completed': event(
    'A batch of messages was fully processed, or cancelled.',
    z.strictObject({
      batch_id: z.string().describe('As in the response of /v1/send/batch.'),
      sent: z.number().int(),
      failed: z.number().int(),
      skipped: z
        .number()
        .int()
        .describe('Unsubscribed, without the permission, or not reached before a cancellation.'),
      total: z.number().int().describe('All results.'),
      occurred_at: timestampSchema,
    }),
    { batch_id: JOB, sent: 8, failed: 1, skipped: 1, total: 10, occurred_at: AT },
  ),
  'otp.sent': event('A one-time code was sent.', otp, otpExample),
  'otp.verified': event('A one-time code was verified.', otp, otpExample),
  'otp.failed_attempt': event('A wrong one-time code was entered.', otpAttempt, {
    ...otpExample,
    attempts_left: 2,
  }),
  'otp.max_attempts_reached': event('A one-time code has no attempts left.', otp, otpExample),
  'auth.completed': event(
    'A session created through the API, or a request with `purpose: login`, was confirmed.',
    z.strictObject({
      ...subscriberFields,
      state: z.string().describe('As given when the session was created.'),
      auth_time: timestampSchema.describe('When the user tapped Yes.'),
    }),
    { ...subscriberExample, state: 'af0ifjsldkj', auth_time: AT },
  ),
  'button.clicked': event(
    'A subscriber tapped a button in a message.',
    z.strictObject({
      ...whoFields,
      delivery_id: z.string().describe('The message with the button.'),
      data: z.string().describe('The data of the button.'),
      clicked_at: timestampSchema,
    }),
    { ...recipientExample, delivery_id: MESSAGE, data: 'accept', clicked_at: AT },
  ),
  'ticket.created': published('A helpdesk ticket was created.', ticketEventSchemas.created, {
    ...ticketExample,
    status: 'new',
    text: 'My order 1001 has not arrived.',
    source: 'bot',
  }),
  'ticket.replied': published('A helpdesk ticket got a reply from either side.', ticketEventSchemas.replied, {
    ...ticketExample,
    message_id: MESSAGE,
    from: 'agent',
    member_id: MEMBER,
    text: 'It arrives tomorrow.',
    attachments: [],
  }),
  'ticket.status_changed': published(
    'The status of a helpdesk ticket changed.',
    ticketEventSchemas.statusChanged,
    { ...ticketExample, previous: 'new', by: 'member' },
  ),
  'ticket.assigned': published('A helpdesk ticket was assigned.', ticketEventSchemas.assigned, {
    ...ticketExample,
    assignee_id: MEMBER,
    previous_assignee_id: null,
  }),
  'ticket.closed': published('A helpdesk ticket was closed.', ticketEventSchemas.closed, {
    ...ticketExample,
    status: 'closed',
    by: 'member',
    first_reply_seconds: 340,
    resolution_seconds: 7200,
  }),
  'ticket.csat_received': published(
    'A rating for a helpdesk ticket was received.',
    ticketEventSchemas.csatReceived,
    { ...ticketExample, status: 'closed', score: 5 },
  ),
  'ticket.unanswered_24h': published(
    'A helpdesk ticket has gone unanswered for 24 hours.',
    ticketEventSchemas.unanswered,
    { ...ticketExample, waiting_since: '2026-01-14T10:30:00.000+00:00' },
  ),
  'scheduled.sent': event('A scheduled message was sent.', scheduled, scheduledExample),
  'scheduled.failed': event('A scheduled message failed.', scheduledReason, {
    ...scheduledExample,
    reason: 'user_blocked_bot',
  }),
  'scheduled.skipped': event('A scheduled message was skipped.', scheduledReason, {
    ...scheduledExample,
    delivery_id: null,
    reason: 'unsubscribed',
  }),
  'drip.step_sent': event(
    'The message of a step of a drip chain was sent.',
    z.strictObject({
      ...drip.shape,
      step: z.number().int().describe('The place of the step in the chain, from 1.'),
      step_id: z.string(),
      delivery_id: z.string().describe('The message.'),
    }),
    { ...dripExample, step: 1, step_id: 'welcome', delivery_id: MESSAGE },
  ),
  'drip.completed': event(
    'A subscriber completed a drip chain, or left it.',
    z.strictObject({
      ...drip.shape,
      outcome: z.enum(['completed', 'exited']),
      reason: z.string().nullable().describe('Why they left: `exit_rule` or `unsubscribed`; else null.'),
      steps_sent: z.number().int().describe('Messages that were sent.'),
    }),
    { ...dripExample, outcome: 'completed', reason: null, steps_sent: 3 },
  ),
  'recurring.sent': event(
    'The broadcast of a recurring message was fully processed.',
    z.strictObject({
      recurring_id: z.string().describe('As in the response of /v1/recurring.'),
      name: z.string(),
      run_id: z.string(),
      ...broadcastCounts.shape,
      scheduled_for: timestampSchema.describe(
        'The time of the run by its cron expression, or of the request.',
      ),
      occurred_at: timestampSchema,
    }),
    {
      recurring_id: MESSAGE,
      name: 'Weekly digest',
      run_id: MEMBER,
      ...broadcastExample,
      scheduled_for: AT,
      occurred_at: AT,
    },
  ),
  'event.tracked': event(
    'A subscriber did something that the project tracks.',
    // The subscriber comes first: what the project chose, which may have any name, follows.
    z.strictObject({
      event_id: z.string().describe('The project’s own id of the event, or the one that Herald chose.'),
      name: z.string(),
      ...whoFields,
      properties: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      received_at: timestampSchema,
      occurred_at: timestampSchema.describe('As given by the project; default: received_at.'),
    }),
    {
      event_id: 'order-1001',
      name: 'purchase',
      ...recipientExample,
      properties: { amount: 49.9, currency: 'EUR' },
      received_at: AT,
      occurred_at: AT,
    },
  ),
  'form.submitted': published('A form was submitted.', formSubmittedSchema, formSubmittedExample),
  'auth.approved': extension('A subscriber approved a request.', approvalDecision, approvalExample),
  'auth.declined': extension(
    'A subscriber declined a request, or the project had no credits for a Yes.',
    approvalDecision,
    approvalExample,
  ),
  'endpoint.failing': extension(
    `A webhook endpoint has had no success for ${limits.webhookFailingMinutes} minutes.`,
    z.strictObject({ ...endpointChange.shape, failing_since: timestampSchema }),
    { ...endpointExample, failing_since: '2026-01-15T10:15:00.000+00:00' },
  ),
  'endpoint.disabled': extension(
    'Herald has disabled a webhook endpoint.',
    z.strictObject({
      ...endpointChange.shape,
      reason: z
        .enum(endpointDisabledReasons)
        .describe(
          `\`gone\`: it returned 410. \`failing\`: every attempt failed for ${limits.webhookDisableAfterHours} hours.`,
        ),
    }),
    { ...endpointExample, reason: 'gone' as const },
  ),
  'endpoint.recovered': extension(
    'A webhook endpoint that was failing or disabled has had a success again.',
    endpointChange,
    endpointExample,
  ),
  'credits.low': extension(
    `${100 * limits.creditsLowShare} % of the logins that the plan includes in this month are used.`,
    credits,
    creditsExample,
  ),
  'credits.exhausted': extension(
    'No credits are left. The grace period begins, unless this month has had one.',
    credits,
    {
      ...creditsExample,
      used: 100,
    },
  ),
} as const satisfies Record<string, EventEntry>;

export type EventName = keyof typeof eventRegistry;
export type EventData<N extends EventName> = z.infer<(typeof eventRegistry)[N]['schema']>;

export const eventNames = Object.keys(eventRegistry) as [EventName, ...EventName[]];
export const eventNameSchema = z.enum(eventNames, 'must be an event name; see GET /v1/event-types');

/** Whether the specification does not name it. */
export function isExtension(name: EventName): boolean {
  return 'extension' in eventRegistry[name];
}

export type PublishedName = {
  [N in EventName]: (typeof eventRegistry)[N]['source'] extends 'publisher' ? N : never;
}[EventName];

export function isPublished(name: EventName): name is PublishedName {
  const entry: EventEntry = eventRegistry[name];
  return entry.source === 'publisher';
}

/**
 * The bytes of a delivery's body, fixed when the event happens. Validated here, so that no receiver ever sees
 * a payload that the catalogue does not describe.
 */
export function eventBody<N extends EventName>(name: N, data: EventData<N>): string {
  return JSON.stringify({ event: name, data: eventRegistry[name].schema.parse(data) });
}

/** The data of a test event. */
export function testData<N extends EventName>(name: N): EventData<N> {
  return eventRegistry[name].example as EventData<N>;
}

/** An id that the sender of an event gives it. */
export const givenEventIdSchema = z
  .string()
  .check(characters(limits.publishedIdLength))
  .regex(
    /^[\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]+$/u,
    `must be 1 to ${limits.publishedIdLength} printable characters`,
  );

export const publishSchema = z
  .strictObject({
    events: z
      .array(
        z.strictObject({
          event: eventNameSchema,
          data: z.record(z.string(), z.unknown()).describe('As the schema of the event says; sent as given.'),
          event_id: givenEventIdSchema
            .optional()
            .describe(
              `The publisher’s own id. The same id within ${limits.publishedIdDays} days is a duplicate and has no effect.`,
            ),
        }),
      )
      .min(1)
      .max(limits.publishEvents),
  })
  .meta({
    examples: [
      { events: [{ event: 'form.submitted', event_id: 'submission-1001', data: formSubmittedExample }] },
    ],
  });
export type PublishRequest = z.infer<typeof publishSchema>;

export const publishResultSchema = z.strictObject({
  event_id: z
    .string()
    .describe('The given id, or the one that Herald chose.')
    .meta({ examples: ['submission-1001'] }),
  status: z.enum(['accepted', 'duplicate']),
  deliveries: z.number().int().describe('How many endpoints the event is sent to.'),
});
export type PublishResult = z.infer<typeof publishResultSchema>;

export const eventTypeSchema = z
  .strictObject({
    name: z.string().meta({ examples: ['auth.completed'] }),
    description: z
      .string()
      .meta({ examples: ['A session that was created through the API has been confirmed.'] }),
    schema: z
      .record(z.string(), z.unknown())
      .describe(
        'JSON Schema of the whole body. Later versions may add fields; `POST /v1/publish` refuses unknown ones.',
      ),
    example: z.record(z.string(), z.unknown()),
    source: z
      .enum(['herald', 'publisher'])
      .describe(
        '`publisher`: the project can publish it (`POST /v1/publish`). `ticket.*` is `herald` while the project’s own helpdesk is enabled.',
      ),
  })
  .meta({ id: 'EventType' });

const JSON_SCHEMA = 'https://json-schema.org/draft/2020-12/schema';

/**
 * The catalogue as `GET /v1/event-types` shows it. The schema and the example are those of the whole body; the example has
 * the order of the schema, so that it is what a test event sends.
 */
export const eventTypes = () =>
  eventNames.map((name) => {
    const entry = eventRegistry[name];
    const body = z.strictObject({ event: z.literal(name), data: entry.schema });
    return {
      name,
      description: entry.summary + (isExtension(name) ? ' An extension of Herald.' : ''),
      schema: { $schema: JSON_SCHEMA, ...jsonSchema(body, 'output') } as Record<string, unknown>,
      example: { event: name, data: entry.schema.parse(entry.example) } as Record<string, unknown>,
      source: entry.source,
    };
  });
