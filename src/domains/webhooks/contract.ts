import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  exampleChannel,
  endpointDisabledReasons,
  givenTimeSchema,
  idSchema,
  pageQuery,
  queryNumber,
  timestampSchema,
  exampleId,
} from '../../base/contract/common';
import { deliveryLanes, laneSettings } from '../../base/contract/delivery-lanes';
import { KIB, limits } from '../../base/contract/limits';
import { ruleOperators, ruleValueProblem } from '../../base/contract/rules';
import { eventNameSchema } from '../events/contract';
import { retryPolicySchema } from '../projects/contract';

export const endpointStatuses = ['active', 'disabled'] as const;
export type EndpointStatus = (typeof endpointStatuses)[number];

export type DeliveryLane = (typeof deliveryLanes)[number];
export type LaneSetting = (typeof laneSettings)[number];
const laneSchema = z
  .enum(laneSettings)
  .nullable()
  .describe(
    '`workflow`: a workflow makes every attempt. `express`: the first attempt is made without a workflow. `auto`: the ' +
      'workflow lane while the service keeps up, otherwise the express lane. Null: the system default.',
  );

/** Duplicates are dropped. */
const eventsSchema = z
  .array(eventNameSchema)
  .transform((names) => [...new Set(names)])
  .describe('Event names. An empty list subscribes to all events, including future ones.');

/** Set by Herald or by the connection, in lower case; a name that ends with `-` stands for all that begin with it. */
const reservedHeaders = [
  'host',
  'content-',
  'transfer-encoding',
  'connection',
  'cookie',
  'user-agent',
  'webhook-',
  'x-service-',
  // An HTTP client cannot send these on request.
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
];

function isReservedHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return reservedHeaders.some((each) => (each.endsWith('-') ? lower.startsWith(each) : lower === each));
}

const { webhookHeaders } = limits;
const headerName = new RegExp(`^[A-Za-z0-9-]{1,${webhookHeaders.nameLength}}$`);
/** Visible ASCII, with spaces between: no line break can get into a request. */
const headerValue = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

const ownHeadersSchema = z
  .record(z.string(), z.string())
  .superRefine((headers, context) => {
    const refuse = (message: string, name?: string) =>
      context.addIssue({ code: 'custom', message, path: name === undefined ? [] : [name] });
    const names = Object.keys(headers);
    if (names.length > webhookHeaders.count) refuse(`can have up to ${webhookHeaders.count} headers`);
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
      refuse('has the same header twice');
    }
    for (const [name, value] of Object.entries(headers).slice(0, webhookHeaders.count)) {
      if (!headerName.test(name)) {
        refuse(`names must be 1 to ${webhookHeaders.nameLength} characters of A-Z a-z 0-9 -`);
      } else if (isReservedHeader(name)) {
        refuse('is set by Herald and cannot be replaced', name);
      } else if (value.length > webhookHeaders.valueLength || !headerValue.test(value)) {
        refuse(`must be 1 to ${webhookHeaders.valueLength} visible ASCII characters`, name);
      }
    }
  })
  .describe(
    'Headers of your own on every attempt, for example `Authorization`. Values are stored encrypted and shown as `***`. A ' +
      'change replaces all of them; `***` keeps a stored value.',
  );
export type OwnHeaders = z.infer<typeof ownHeadersSchema>;

const { endpointFilter } = limits;
const fieldPattern = new RegExp(
  `^[A-Za-z0-9_]{1,${endpointFilter.nameLength}}(\\.[A-Za-z0-9_]{1,${endpointFilter.nameLength}}){0,${endpointFilter.depth - 1}}$`,
);

const filterRuleSchema = z
  .strictObject({
    field: z
      .string()
      .regex(
        fieldPattern,
        `must be up to ${endpointFilter.depth} names of A-Z a-z 0-9 _, joined by dots, each of up to ${endpointFilter.nameLength} characters`,
      )
      .describe('A path inside `data`, for example `subscriber.tags`.')
      .meta({ examples: ['channel'] }),
    op: z
      .enum(ruleOperators)
      .describe(
        'A value of another type compares false, and so does a field that is absent or null, `ne` included. `gt` and `lt` compare numbers, or texts; `contains`: part of a text, or an element of a list; `exists`: it is there and not null.',
      ),
    value: z
      .union([z.string().check(characters(endpointFilter.valueLength)), z.number(), z.boolean()])
      .optional()
      .describe('For `exists`: true (default), or false for a field that is absent or null.')
      .meta({ examples: [exampleChannel] }),
  })
  .superRefine((rule, ctx) => {
    const message = ruleValueProblem(rule);
    if (message !== null) ctx.addIssue({ code: 'custom', path: ['value'], message, input: rule });
  });

const filterSchema = z
  .strictObject({
    match: z.enum(['all', 'any']).default('all'),
    rules: z.array(filterRuleSchema).min(1).max(endpointFilter.rules),
  })
  .describe('An event that does not match makes no delivery to this endpoint. Test events ignore it.')
  .meta({ id: 'EventFilter' });
export type Filter = z.output<typeof filterSchema>;

/** What an endpoint would have. */
export const filterPreviewSchema = z
  .strictObject({
    events: eventsSchema.default([]),
    filter: filterSchema.nullable(),
  })
  .meta({ examples: [{ filter: { rules: [{ field: 'channel', op: 'eq', value: exampleChannel }] } }] });
export const filterPreviewResultSchema = z.strictObject({
  data: z.array(
    z.strictObject({
      event_id: idSchema,
      event: z.string().meta({ examples: ['auth.completed'] }),
      created_at: timestampSchema,
      matches: z.boolean(),
    }),
  ),
});

const descriptionSchema = z.string().check(characters(limits.webhookDescriptionLength));

export const newEndpointSchema = z
  .strictObject({
    // Vetted by outbound/addresses.ts (400 invalid_url).
    url: z
      .string()
      .describe('An https URL without a username, password or fragment, not in a private network.'),
    events: eventsSchema.default([]),
    filter: filterSchema.nullish(),
    description: descriptionSchema.nullish(),
    retry_policy: retryPolicySchema.optional().describe('Default: the retry policy of the project.'),
    delivery_lane: laneSchema.optional(),
    headers: ownHeadersSchema.optional(),
  })
  .meta({ examples: [{ url: 'https://shop.example.com/webhooks', events: ['auth.completed'] }] });

export const endpointChangesSchema = z
  .strictObject({
    url: z.string().optional(),
    events: eventsSchema.optional(),
    filter: filterSchema.nullable().optional().describe('Null removes it.'),
    description: descriptionSchema.nullable().optional(),
    status: z.enum(endpointStatuses).optional(),
    retry_policy: retryPolicySchema.optional(),
    delivery_lane: laneSchema.optional(),
    headers: ownHeadersSchema.optional(),
  })
  .meta({ examples: [{ events: ['auth.completed', 'subscription.deleted'] }] });

export const endpointSchema = z
  .strictObject({
    id: idSchema,
    url: z.string().meta({ examples: ['https://shop.example.com/webhooks'] }),
    events: z.array(z.string()).meta({ examples: [['auth.completed']] }),
    filter: filterSchema.nullable(),
    description: z.string().nullable(),
    status: z.enum(endpointStatuses),
    disabled_reason: z
      .enum(endpointDisabledReasons)
      .nullable()
      .describe(
        `Why Herald disabled the endpoint, or null. \`gone\`: it returned 410. \`failing\`: every attempt failed for ${limits.webhookDisableAfterHours} hours.`,
      ),
    retry_policy: retryPolicySchema,
    delivery_lane: laneSchema,
    headers: z.record(z.string(), z.string()).describe('Headers of your own; every value is shown as `***`.'),
    health: z
      .strictObject({
        state: z
          .enum(['idle', 'healthy', 'failing', 'disabled'])
          .describe(
            '`failing`: no success since `failing_since`, which a change of the URL or of `status` ends. ' +
              'Otherwise `healthy` with a success in the last 24 hours, `idle` without one.',
          )
          .meta({ examples: ['healthy'] }),
        failing_since: timestampSchema.nullable().meta({ examples: [null] }),
        success_rate_24h: z
          .number()
          .min(0)
          .max(1)
          .nullable()
          .describe('Share of the attempts of the last 24 hours that succeeded; null without an attempt.'),
        last_delivery_at: timestampSchema
          .nullable()
          .describe('When the last attempt ended, successful or not; null before the first.'),
      })
      .meta({ id: 'EndpointHealth' }),
    secrets: z
      .array(
        z.strictObject({
          created_at: timestampSchema,
          expires_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:40:00.000+00:00'] }),
        }),
      )
      .describe('Secrets that sign now, newest first. A replaced one has an `expires_at`.'),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'Endpoint' });
export type EndpointView = z.infer<typeof endpointSchema>;

export const statsQuery = z.strictObject({
  hours: queryNumber([24, 168]).default(24).describe('How many hours, up to the present one.'),
});

const statsFields = {
  buckets: z
    .array(
      z.strictObject({
        at: timestampSchema.describe('The beginning of the hour.'),
        succeeded: z.number().int(),
        failed: z.number().int(),
        p50_ms: z.number().int().nullable().describe('Estimated from a histogram; null without an attempt.'),
        p95_ms: z.number().int().nullable(),
      }),
    )
    .describe('One for each hour (UTC), oldest first. Attempts are counted in the hour in which they began.'),
};
export const statsSchema = z.strictObject(statsFields);
export const allStatsSchema = z.strictObject({
  data: z.array(
    z.strictObject({
      endpoint_id: idSchema,
      waiting_seconds: z
        .number()
        .int()
        .describe(
          'How long the next delivery has waited for Herald, not for its receiver. If it stays above a few seconds, deliveries wait for Temporal, which serves logins first: an endpoint with the `delivery_lane` `auto` does not wait for it.',
        ),
      ...statsFields,
    }),
  ),
});

const secretSchema = z
  .string()
  .nullable()
  .describe('Signs the deliveries. Returned only once: null in a repeated response.')
  .meta({ examples: ['whsec_…'] });

export const createdEndpointSchema = z.strictObject({ ...endpointSchema.shape, secret: secretSchema });
export const rotatedSecretSchema = z.strictObject({ id: idSchema, secret: secretSchema });

export const testRequestSchema = z
  .strictObject({ event: eventNameSchema.default('auth.completed') })
  .meta({ examples: [{ event: 'auth.completed' }] });
export const testAnswerSchema = z.strictObject({ delivery_id: idSchema });
export const triggeredSchema = z.strictObject({
  event_id: idSchema,
  deliveries: z.number().int().describe('How many endpoints the event is sent to.'),
});

export const recoverRequestSchema = z
  .strictObject({
    since: givenTimeSchema.describe(`At most ${limits.webhookRecoverDays} days back.`),
  })
  .meta({ examples: [{ since: '<time>' }] });
export const recoverAnswerSchema = z.strictObject({ recovered: z.number().int() });

/** `paused` is a pending delivery whose endpoint is disabled: computed, never stored. */
export const deliveryStatuses = ['pending', 'succeeded', 'failed', 'paused', 'cancelled'] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];

/** Why Herald itself cancels a delivery. */
export const cancelReasons = ['endpoint_removed', 'parked_too_long'] as const;
export type CancelReason = (typeof cancelReasons)[number];

export const endedReasons = [
  'delivered',
  'refused_by_receiver',
  'schedule_used_up',
  'cancelled',
  ...cancelReasons,
] as const;
export type EndedReason = (typeof endedReasons)[number];

export const deliverySchema = z
  .strictObject({
    id: idSchema.describe('Also the X-Service-Delivery-Id of every attempt.'),
    endpoint_id: idSchema,
    endpoint_url: z
      .string()
      .describe('The URL of the endpoint as it is now, or as it was when it was deleted.')
      .meta({ examples: ['https://shop.example.com/webhooks'] }),
    event_id: idSchema,
    event: z.string().meta({ examples: ['auth.completed'] }),
    status: z.enum(deliveryStatuses).meta({ examples: ['succeeded'] }),
    test: z
      .boolean()
      .describe('A test event: its attempts carry `X-Service-Test: true`.')
      .meta({ examples: [false] }),
    lane: z.enum(deliveryLanes).nullable().describe('How it began; null until then.'),
    workflow_id: z
      .string()
      .nullable()
      .describe('Its workflow in Temporal; null for one that needed none.')
      .meta({ examples: ['delivery/4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01'] }),
    attempt_count: z.number().int(),
    last_http_status: z
      .number()
      .int()
      .nullable()
      .meta({ examples: [200] }),
    last_error: z.string().nullable(),
    created_at: timestampSchema,
    first_attempt_at: timestampSchema.nullable(),
    next_attempt_at: timestampSchema
      .nullable()
      .describe('Null while an attempt is in flight and after the delivery has ended.')
      .meta({ examples: [null] }),
    ended_at: timestampSchema.nullable().meta({ examples: ['2026-01-15T10:30:02.000+00:00'] }),
    ended_reason: z
      .enum(endedReasons)
      .nullable()
      .describe(
        'Why it ended: `delivered`, `refused_by_receiver` (a 4xx that is not retried), `schedule_used_up`, `cancelled` ' +
          '(by request), `endpoint_removed`, `parked_too_long` (the endpoint was disabled for ' +
          `${limits.webhookPausedDays} days). Null while it is open.`,
      ),
  })
  .meta({ id: 'Delivery' });
export type DeliveryView = z.infer<typeof deliverySchema>;

export const attemptSchema = z
  .strictObject({
    number: z.number().int(),
    attempted_at: timestampSchema,
    duration_ms: z.number().int().nullable().describe('Null while the attempt is in flight.'),
    status: z
      .number()
      .int()
      .nullable()
      .describe('HTTP status of the response; null without a complete response.')
      .meta({ examples: [200] }),
    error: z.string().nullable().describe('Kind of failure: dns, refused, timeout, tls…'),
    error_detail: z.string().nullable(),
    request_headers: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        "As sent; values of the endpoint's own headers are shown as `***`. Null while the attempt is in flight, " +
          'when its process died, and when nothing was sent (no address, no connection, TLS failed).',
      ),
    response_body: z
      .string()
      .nullable()
      .describe(`The first ${limits.webhookResponseBytes / KIB} KiB.`)
      .meta({ examples: ['ok'] }),
    response_headers: z.record(z.string(), z.string()),
    next_attempt_at: timestampSchema.nullable().meta({ examples: [null] }),
  })
  .meta({ id: 'Attempt' });
export type AttemptView = z.infer<typeof attemptSchema>;

export const deliveryWithAttemptsSchema = z.strictObject({
  ...deliverySchema.shape,
  body: z
    .string()
    .describe('The exact text that every attempt sends and signs.')
    .meta({ examples: ['{"event":"auth.completed","data":{…}}'] }),
  attempts: z.array(attemptSchema),
});

export const deliveryListQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  event: eventNameSchema.optional(),
  since: givenTimeSchema.optional().describe('Only deliveries created at or after this time.'),
  ...pageQuery,
});

const { webhookSearchLength, webhookSearchDays } = limits;

export const deliverySearchQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  event: eventNameSchema.optional(),
  endpoint_id: idSchema.optional(),
  since: givenTimeSchema.optional().describe('Only deliveries created at or after this time.'),
  q: z
    .string()
    .trim()
    .min(webhookSearchLength.min)
    .check(characters(webhookSearchLength.max))
    .optional()
    .describe(
      `A delivery id, an event id, or text in a body of the last ${webhookSearchDays} days. Case is ignored. ` +
        'Text that begins inside a word is found only if no event has it at the beginning of one. It is searched in ' +
        'the newest 20,000 events, and so is text that is very frequent.',
    ),
  ...pageQuery,
});

export const bulkRetrySchema = z
  .strictObject({
    ids: z
      .array(z.string().max(64))
      .min(1)
      .max(limits.webhookRetries)
      .describe('Ids of deliveries; one that is given twice is retried once.'),
  })
  .meta({ examples: [{ ids: ['<delivery_id>'] }] });
export const bulkRetryAnswerSchema = z.strictObject({
  retried: z.number().int(),
  failed: z
    .array(
      z.strictObject({
        id: z.string().meta({ examples: [exampleId] }),
        code: z.enum(['not_found', 'conflict']),
      }),
    )
    .describe('`conflict`: the endpoint is disabled or deleted.'),
});
