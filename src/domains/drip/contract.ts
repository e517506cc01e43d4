import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import { idSchema, pageQuery, timestampSchema, exampleId } from '../../base/contract/common';
import {
  contentSchema,
  givenContentFields,
  normalContent,
  type GivenContent,
} from '../../base/contract/content';
import { limits } from '../../base/contract/limits';
import { trackedNameSchema } from '../subscribers/tracked/contract';
import {
  checkRecipient,
  externalIdSchema,
  labelSchema,
  propertiesSchema,
  subscriberIdSchema,
} from '../subscribers/contract';
import { propertyRulesSchema, subscriberRulesSchema, type Rules } from './rules/contract';

export const chainStatuses = ['draft', 'active', 'paused'] as const;
export type ChainStatus = (typeof chainStatuses)[number];

export const reentries = ['once', 'again'] as const;

export const enrolmentStatuses = ['active', 'completed', 'exited', 'cancelled'] as const;
export type EnrolmentStatus = (typeof enrolmentStatuses)[number];

export const triggerSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('event'),
      name: trackedNameSchema,
      where: propertyRulesSchema.optional().describe('Rules on the properties of the event.'),
    }),
    z.strictObject({ type: z.literal('tag_added'), tag: labelSchema }),
    z.strictObject({ type: z.literal('subscription') }),
    z.strictObject({ type: z.literal('manual') }),
  ])
  .describe('What enrols a subscriber. Manual enrolment works for every chain.')
  .meta({ id: 'DripTrigger' });
export type Trigger = z.output<typeof triggerSchema>;

/** The target of a condition that ends the chain. */
export const END = 'end';

const { dripStepIdLength: idLength } = limits;
const stepIdSchema = z
  .string()
  .regex(
    new RegExp(`^[a-z0-9_-]{1,${idLength}}$`),
    `must be 1 to ${idLength} characters of a-z, 0-9, _ and -`,
  );

const FROM = /^(?:[01]\d|2[0-3]):[0-5]\d$/;
const TO = /^(?:(?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Minutes since midnight. */
export function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  return hours * 60 + minutes;
}

const labels = z
  .array(labelSchema)
  .min(1)
  .max(limits.tagsPerProject)
  .transform((names) => [...new Set(names)]);

const stepSchemas = {
  delay: z.strictObject({
    id: stepIdSchema,
    type: z.literal('delay'),
    minutes: z.number().int().min(1).max(limits.dripDelayMinutes),
  }),
  wait_until: z
    .strictObject({
      id: stepIdSchema,
      type: z.literal('wait_until'),
      weekdays: z
        .array(z.number().int().min(1).max(7))
        .min(1)
        .max(7)
        .transform((days) => [...new Set(days)].sort((a, b) => a - b))
        .optional()
        .describe('1 is Monday. Default: every day.'),
      from: z.string().regex(FROM, 'must be a time like 09:00'),
      to: z.string().regex(TO, 'must be a time like 18:00'),
      timezone: z
        .enum(['recipient', 'project'])
        .default('recipient')
        .describe('Whose clock: that of the recipient, or that of the project.'),
    })
    .refine(({ from, to }) => minutesOf(to) > minutesOf(from), {
      path: ['to'],
      message: 'must be after from',
    }),
  condition: z.strictObject({
    id: stepIdSchema,
    type: z.literal('condition'),
    if: subscriberRulesSchema,
    else: stepIdSchema.describe('Where it goes on if the rules do not hold: a later step, or `end`.'),
  }),
  send: z.strictObject({
    id: stepIdSchema,
    type: z.literal('send'),
    content: contentSchema,
    permission: labelSchema.optional().describe('Send only to subscribers with this permission.'),
  }),
  tag: z
    .strictObject({
      id: stepIdSchema,
      type: z.literal('tag'),
      add: labels.optional(),
      remove: labels.optional(),
    })
    .refine(({ add, remove }) => add !== undefined || remove !== undefined, {
      path: ['add'],
      message: 'is required, or remove',
    }),
  end: z.strictObject({ id: stepIdSchema, type: z.literal('end') }),
} as const;

const stepSchema = z
  .discriminatedUnion('type', [
    stepSchemas.delay,
    stepSchemas.wait_until,
    stepSchemas.condition,
    stepSchemas.send,
    stepSchemas.tag,
    stepSchemas.end,
  ])
  .meta({ id: 'DripStep' });

export type Step = z.output<typeof stepSchema>;
export type StepOf<T extends Step['type']> = Extract<Step, { type: T }>;

/** Ids are unique, and a condition never leads backward, so that every chain ends. */
function checkSteps(steps: readonly Step[], ctx: z.RefinementCtx): void {
  const places = new Map<string, number>();
  steps.forEach((step, index) => {
    const refuse = (field: string, message: string) =>
      ctx.addIssue({ code: 'custom', path: [index, field], message, input: steps });
    if (places.has(step.id)) refuse('id', `"${step.id}" is used twice`);
    else places.set(step.id, index);
    if (step.type !== 'condition' || step.else === END) return;
    const target = steps.findIndex(({ id }) => id === step.else);
    if (target < 0) refuse('else', `there is no step "${step.else}"`);
    else if (target <= index) refuse('else', 'must be a later step, or end');
  });
}

const stepsSchema = z.array(stepSchema).min(1).max(limits.dripSteps).superRefine(checkSteps);

const nameSchema = z.string().trim().min(1).check(characters(limits.nameLength));
const exitSchema = subscriberRulesSchema.describe(
  'Read before each step: a subscriber for whom they hold leaves the chain.',
);
const reentrySchema = z
  .enum(reentries)
  .describe('`once`: a subscriber enters the chain once. `again`: again after the end.');
const statusSchema = z
  .enum(chainStatuses)
  .describe(
    'Only an active chain takes subscribers and runs steps; due steps wait until it is active again.',
  );

export const newChainSchema = z
  .strictObject({
    name: nameSchema,
    trigger: triggerSchema,
    steps: stepsSchema,
    exit_on: exitSchema.nullable().optional(),
    reentry: reentrySchema.default('once'),
    status: statusSchema.default('draft'),
  })
  .meta({
    examples: [
      {
        name: 'Welcome',
        trigger: { type: 'subscription' },
        steps: [
          { id: 'hello', type: 'send', content: { text: 'Welcome! Reply here if you have a question.' } },
          { id: 'two-days', type: 'delay', minutes: 2880 },
          { id: 'daytime', type: 'wait_until', from: '09:00', to: '18:00' },
          { id: 'tips', type: 'send', content: { text: 'Three tips for the start' } },
        ],
        exit_on: { rules: [{ event: 'purchase' }] },
        status: 'active',
      },
    ],
  });
export type NewChain = z.output<typeof newChainSchema>;

export const chainChangesSchema = z
  .strictObject({
    name: nameSchema.optional(),
    trigger: triggerSchema.optional(),
    steps: stepsSchema.optional(),
    exit_on: exitSchema.nullable().optional(),
    reentry: reentrySchema.optional(),
    status: statusSchema.optional(),
    migrate: z
      .boolean()
      .optional()
      .describe(
        'Moves the active enrolments of earlier versions to the newest one, where their current step still exists.',
      ),
  })
  .meta({ examples: [{ status: 'paused' }] });
export type ChainChanges = z.output<typeof chainChangesSchema>;

/** The step as it is shown. */
const stepView = z
  .discriminatedUnion('type', [
    z.strictObject({ ...stepSchemas.delay.shape, id: z.string().meta({ examples: ['hello'] }) }),
    z.strictObject({
      ...stepSchemas.wait_until.shape,
      id: z.string(),
      weekdays: z.array(z.number().int()).optional(),
      timezone: z.enum(['recipient', 'project']),
    }),
    z.strictObject({ ...stepSchemas.condition.shape, id: z.string() }),
    z.strictObject({
      ...stepSchemas.send.shape,
      id: z.string(),
      content: z.strictObject(givenContentFields),
    }),
    z.strictObject({
      ...stepSchemas.tag.shape,
      id: z.string(),
      add: z.array(z.string()).optional(),
      remove: z.array(z.string()).optional(),
    }),
    stepSchemas.end,
  ])
  .meta({ id: 'DripStep' });

export const chainSchema = z
  .strictObject({
    drip_id: idSchema,
    name: z.string().meta({ examples: ['Welcome'] }),
    trigger: triggerSchema,
    steps: z.array(stepView),
    exit_on: subscriberRulesSchema.nullable(),
    reentry: z.enum(reentries),
    status: z.enum(chainStatuses),
    version: z.number().int().describe('Raised by a change of trigger, steps or exit_on.'),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'DripChain' });
export type ChainView = z.infer<typeof chainSchema>;

export const newEnrolmentSchema = z
  .strictObject({
    subscriber_id: subscriberIdSchema.optional(),
    external_id: externalIdSchema.optional(),
    properties: propertiesSchema
      .refine(
        (given) => Object.keys(given).length <= limits.properties,
        `can have up to ${limits.properties} properties`,
      )
      .optional()
      .describe('Shown in templates as `event.<property>`.'),
  })
  .superRefine(checkRecipient)
  .meta({ examples: [{ subscriber_id: '<subscriber_id>' }] });
export type NewEnrolmentRequest = z.output<typeof newEnrolmentSchema>;

export const enrolmentSchema = z
  .strictObject({
    enrolment_id: idSchema,
    drip_id: idSchema,
    version: z.number().int(),
    subscriber_id: z.string().meta({ examples: [exampleId] }),
    status: z.enum(enrolmentStatuses),
    reason: z.string().nullable().describe('Why it was exited: `exit_rule` or `unsubscribed`.'),
    step_id: z
      .string()
      .nullable()
      .describe('The current step, or the last one.')
      .meta({ examples: ['hello'] }),
    next_at: timestampSchema
      .nullable()
      .describe('When the next step is due; null once it has ended.')
      .meta({ examples: ['2026-01-15T12:00:00.000+00:00'] }),
    started_at: timestampSchema,
    ended_at: timestampSchema.nullable().meta({ examples: [null] }),
  })
  .meta({ id: 'Enrolment' });
export type EnrolmentView = z.infer<typeof enrolmentSchema>;

export const listedEnrolmentSchema = enrolmentSchema.extend({
  first_name: z
    .string()
    .describe('Of the subscriber, as it is now.')
    .meta({ examples: ['Anna'] }),
});
export type ListedEnrolment = z.infer<typeof listedEnrolmentSchema>;

export const startedEnrolmentsSchema = z.strictObject({ data: z.array(enrolmentSchema) });

export const chainParams = z.strictObject({ drip_id: idSchema });
export const enrolmentParams = z.strictObject({ drip_id: idSchema, id: idSchema });
export const chainListQuery = z.strictObject({ ...pageQuery });
export const enrolmentListQuery = z.strictObject({
  status: z.enum(enrolmentStatuses).optional(),
  subscriber_id: subscriberIdSchema.optional(),
  ...pageQuery,
});
export const statsQuery = z.strictObject({
  version: z.coerce
    .number()
    .int()
    .min(1)
    .max(2_147_483_647)
    .optional()
    .describe('Only this version. Default: all versions, with the steps of the newest.'),
});

export const chainStatsSchema = z.strictObject({
  enrolled: z
    .number()
    .int()
    .meta({ examples: [10] }),
  active: z
    .number()
    .int()
    .meta({ examples: [6] }),
  completed: z
    .number()
    .int()
    .meta({ examples: [3] }),
  exited: z.number().int(),
  cancelled: z
    .number()
    .int()
    .meta({ examples: [0] }),
  steps: z.array(
    z.strictObject({
      step_id: z.string().meta({ examples: ['hello'] }),
      reached: z
        .number()
        .int()
        .describe('Enrolments in which the step has begun.')
        .meta({ examples: [10] }),
      sent: z
        .number()
        .int()
        .meta({ examples: [8] }),
      failed: z.number().int(),
      skipped: z
        .number()
        .int()
        .describe('Not sent: the user has unsubscribed or has not granted the permission.'),
    }),
  ),
});
export type ChainStats = z.infer<typeof chainStatsSchema>;

export type { Rules };

/** What a version of a chain does. */
export interface ChainDefinition {
  trigger: Trigger;
  steps: Step[];
  exit_on: Rules | null;
}

/** The messages of a chain, with the place of each in the request. */
export function contentsOf(steps: readonly Step[]): { path: string; content: GivenContent }[] {
  return steps.flatMap((step, index) =>
    step.type === 'send' ? [{ path: `steps[${index}].content.`, content: normalContent(step.content) }] : [],
  );
}
