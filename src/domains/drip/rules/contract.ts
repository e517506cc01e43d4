import { z } from 'zod';
import { limits } from '../../../base/contract/limits';
import { ruleOperators, ruleValueProblem, type RuleOperator } from '../../../base/contract/rules';
import { trackedNameSchema } from '../../subscribers/tracked/contract';
import { labelSchema, propertyKeySchema, propertyValueSchema } from '../../subscribers/contract';

const ruleMatches = ['all', 'any'] as const;

const propertyFields = {
  property: propertyKeySchema.optional().meta({ examples: ['city'] }),
  op: z
    .enum(ruleOperators)
    .optional()
    .describe(
      'With a property: how it compares with `value`. A value of another type compares false, and so does an absent property, `ne` included. `gt` and `lt` compare numbers, or texts; `contains`: part of a text.',
    ),
  value: propertyValueSchema
    .optional()
    .describe('With a property. For `exists`: true (default), or false for a property that is absent.')
    .meta({ examples: ['Riga'] }),
};

const subscriberFields = {
  tag: labelSchema.optional(),
  permission: labelSchema.optional(),
  has: z.boolean().optional().describe('With a tag or a permission: false for one that is absent.'),
  event: trackedNameSchema.optional().describe('The name of a tracked event.'),
  since_minutes: z
    .number()
    .int()
    .min(1)
    .max(limits.ruleSinceMinutes)
    .optional()
    .describe(
      'With an event: it occurred in the last minutes. Without: it was received since the enrolment.',
    ),
  happened: z.boolean().optional().describe('With an event: false for one that has not happened.'),
};

/** What a rule is about, and the fields that belong to it. */
const companions = {
  tag: ['has'],
  permission: ['has'],
  property: ['op', 'value'],
  event: ['since_minutes', 'happened'],
} as const satisfies Record<string, readonly string[]>;
type Subject = keyof typeof companions;

type Given = { [field in Subject | (typeof companions)[Subject][number]]?: unknown } & {
  op?: RuleOperator | undefined;
};

/** Checks what the fields of a rule cannot say one by one, and names the field at fault. */
function checkRule(subjects: readonly Subject[]) {
  return (rule: Given, ctx: z.RefinementCtx): void => {
    const refuse = (field: string, message: string) =>
      ctx.addIssue({ code: 'custom', path: [field], message, input: rule });
    const given = subjects.filter((subject) => rule[subject] !== undefined);
    const [subject, second] = given;
    if (subject === undefined) {
      const [first = '', ...others] = subjects;
      refuse(first, others.length === 0 ? 'is required' : `is required, or ${others.join(', or ')}`);
      return;
    }
    if (second !== undefined) refuse(second, `cannot be combined with ${subject}`);
    for (const field of Object.values(companions).flat()) {
      const fits = given.some((each) => (companions[each] as readonly string[]).includes(field));
      if (rule[field] !== undefined && !fits) refuse(field, `cannot be combined with ${subject}`);
    }
    if (subject !== 'property') return;
    if (rule.op === undefined) return refuse('op', 'is required');
    const problem = ruleValueProblem(rule);
    if (problem !== null) refuse('value', problem);
  };
}

function rulesOf<R extends z.ZodType>(rule: R) {
  return z.strictObject({
    match: z.enum(ruleMatches).optional().describe('Default: `all`.'),
    rules: z.array(rule).min(1).max(limits.rules),
  });
}

const propertyRule = z.strictObject(propertyFields);
const subscriberRule = z.strictObject({ ...subscriberFields, ...propertyFields });

/** Rules on the properties of a tracked event. */
export const propertyRulesSchema = rulesOf(propertyRule.superRefine(checkRule(['property']))).meta({
  id: 'PropertyRules',
});

/** Rules on a subscriber and on what they did. */
export const subscriberRulesSchema = rulesOf(
  subscriberRule
    .superRefine(checkRule(['tag', 'permission', 'property', 'event']))
    .meta({ examples: [{ tag: 'beta' }] }),
).meta({ id: 'SubscriberRules' });

export type Rule = z.output<typeof subscriberRule>;
export type Rules = z.output<typeof subscriberRulesSchema>;
