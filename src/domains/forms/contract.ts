import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import {
  channelLinks,
  idSchema,
  nullableWhoFields,
  pageQuery,
  timestampSchema,
  type Language,
} from '../../base/contract/common';
import {
  contentSchema,
  givenContentFields,
  normalContent,
  urlLengthSchema,
  type GivenContent,
} from '../../base/contract/content';
import { limits } from '../../base/contract/limits';
import { ruleOperators, ruleValueProblem } from '../../base/contract/rules';
import { ticketPriorities } from '../helpdesk/contract';
import { labelSchema, subscriberIdSchema } from '../subscribers/contract';
import { trackedNameSchema } from '../subscribers/tracked/contract';

export const fieldTypes = [
  'text',
  'textarea',
  'email',
  'phone',
  'number',
  'date',
  'select',
  'multiselect',
  'checkbox',
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** Fields of a submission that are no answers. */
export const reservedKeys = ['_hp', '_token', '_captcha', '_request_id'] as const;

const keySchema = z
  .string()
  .regex(/^[a-z0-9_]{1,64}$/, 'must be 1 to 64 characters of a-z, 0-9 and _')
  // JavaScript objects drop the last one.
  .refine((key) => ![...reservedKeys, '__proto__'].includes(key), 'is reserved');

const labelText = z.string().trim().min(1).check(characters(limits.formLabelLength));

const optionSchema = z.strictObject({
  value: z
    .string()
    .trim()
    .min(1)
    .check(characters(limits.formOptionLength))
    .meta({ examples: ['order'] }),
  label_en: labelText.optional().meta({ examples: ['An order'] }),
  label_ru: labelText.optional().meta({ examples: ['Заказ'] }),
});
export type FieldOption = z.output<typeof optionSchema>;

const fieldShape = {
  key: z.string().meta({ examples: ['phone'] }),
  type: z.enum(fieldTypes),
  label_en: labelText
    .optional()
    .describe('One of the two labels is required.')
    .meta({ examples: ['Phone'] }),
  label_ru: labelText.optional().meta({ examples: ['Телефон'] }),
  required: z.boolean().optional().describe('Default: false. A required checkbox must be ticked.'),
  min: z
    .number()
    .optional()
    .describe('The least length of a text, value of a number, or count of a multiselect.'),
  max: z.number().optional().describe('The greatest length, value or count.'),
  options: z
    .array(optionSchema)
    .min(1)
    .max(limits.formOptions)
    .optional()
    .describe('Required for select and multiselect, and only there.'),
};

const fieldSchema = z
  .strictObject({ ...fieldShape, key: keySchema })
  .superRefine(checkField)
  .meta({ id: 'FormField' });
export type Field = z.output<typeof fieldSchema>;

/** What `min` and `max` of a field mean; null where it has neither. */
export function boundsOf(type: FieldType): 'length' | 'value' | 'count' | null {
  switch (type) {
    case 'text':
    case 'textarea':
    case 'email':
    case 'phone':
      return 'length';
    case 'number':
      return 'value';
    case 'multiselect':
      return 'count';
    case 'date':
    case 'select':
    case 'checkbox':
      return null;
  }
}

export const hasOptions = (type: FieldType): boolean => type === 'select' || type === 'multiselect';

/** Checks what the parts of a field cannot say one by one, and names the part at fault. */
function checkField(field: z.output<z.ZodObject<typeof fieldShape>>, ctx: z.RefinementCtx): void {
  const refuse = (part: string, message: string) =>
    ctx.addIssue({ code: 'custom', path: [part], message, input: field });
  const { type, options, min, max } = field;
  if (field.label_en === undefined && field.label_ru === undefined) {
    refuse('label_en', 'is required, or label_ru');
  }
  if (hasOptions(type) !== (options !== undefined)) {
    refuse('options', hasOptions(type) ? 'is required' : 'is only for select and multiselect');
  }
  const values = options?.map(({ value }) => value) ?? [];
  if (new Set(values).size !== values.length) refuse('options', 'must have different values');
  const kind = boundsOf(type);
  for (const [part, bound] of Object.entries({ min, max })) {
    if (bound === undefined) continue;
    const most = kind === 'length' ? limits.formAnswerLength : limits.formOptions;
    if (kind === null) refuse(part, `is not for a field of type ${type}`);
    else if (kind !== 'value' && (!Number.isInteger(bound) || bound < 0 || bound > most)) {
      refuse(part, `must be a whole number from 0 to ${most}`);
    }
  }
  if (min !== undefined && max !== undefined && min > max) refuse('min', 'must not be greater than max');
}

function uniqueKeys(fields: readonly { key: string }[], ctx: z.RefinementCtx): void {
  const seen = new Set<string>();
  fields.forEach(({ key }, index) => {
    if (seen.has(key)) {
      ctx.addIssue({
        code: 'custom',
        path: [index, 'key'],
        message: `"${key}" is used twice`,
        input: fields,
      });
    }
    seen.add(key);
  });
}

const ruleSchema = z
  .strictObject({
    field: z
      .string()
      .describe('The key of a field of the form.')
      .meta({ examples: ['topic'] }),
    op: z
      .enum(ruleOperators)
      .describe(
        'A value of another type compares false, and so does a field without an answer, `ne` included. `gt` and `lt` compare numbers, or texts; `contains`: part of a text, or one of the chosen options.',
      ),
    value: z
      .union([z.string().check(characters(limits.propertyLength)), z.number(), z.boolean()])
      .optional()
      .describe('For `exists`: true (default), or false for a field without an answer.')
      .meta({ examples: ['order'] }),
  })
  .superRefine((rule, ctx) => {
    const message = ruleValueProblem(rule);
    if (message !== null) ctx.addIssue({ code: 'custom', path: ['value'], message, input: rule });
  });
export type AnswerRule = z.output<typeof ruleSchema>;

const whenSchema = z
  .strictObject({
    match: z.enum(['all', 'any']).optional().describe('Default: `all`.'),
    rules: z.array(ruleSchema).min(1).max(limits.rules),
  })
  .describe('Rules on the answers; without them the route always runs.')
  .meta({ id: 'FormRules' });
export type AnswerRules = z.output<typeof whenSchema>;

const when = whenSchema.optional();

const routeSchemas = {
  tag: z.strictObject({ action: z.literal('tag'), tag: labelSchema, when }),
  ticket: z.strictObject({
    action: z.literal('ticket'),
    type_id: idSchema.optional(),
    priority: z.enum(ticketPriorities).optional(),
    when,
  }),
  event: z.strictObject({ action: z.literal('event'), name: trackedNameSchema, when }),
  message: z.strictObject({
    action: z.literal('message'),
    to: z.enum(['submitter', 'members']),
    content: contentSchema,
    when,
  }),
  spam: z.strictObject({ action: z.literal('spam'), when }),
} as const;

export const routeSchema = z
  .discriminatedUnion('action', [
    routeSchemas.tag,
    routeSchemas.ticket,
    routeSchemas.event,
    routeSchemas.message,
    routeSchemas.spam,
  ])
  .describe(
    'What follows from a submission. Routes run in order; `spam` moves the submission to the spam folder and ends. Without a subscriber, tag, event and a message to the submitter are skipped.',
  )
  .meta({ id: 'FormRoute' });
export type FormRoute = z.output<typeof routeSchema>;
export type RouteAction = FormRoute['action'];
export const routeActions = Object.keys(routeSchemas) as [RouteAction, ...RouteAction[]];

/** `https://host[:port]`, `https://*.host[:port]`, `http://` of this machine, or `*`. */
const ORIGIN =
  /^(?:\*|https?:\/\/(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\])(?::\d{1,5})?)$/;
const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

const originSchema = z
  .string()
  .toLowerCase()
  .check(characters(limits.formOriginLength))
  .refine(
    (origin) => ORIGIN.test(origin) && (!origin.startsWith('http:') || LOOPBACK.test(origin)),
    'must be an origin like https://example.com or https://*.example.com, or *',
  )
  // As browsers write it.
  .transform((origin) => origin.replace(/^(https:.*):443$/, '$1'));

const nameSchema = z.string().trim().min(1).check(characters(limits.nameLength));
const titleSchema = z.string().trim().min(1).check(characters(limits.formTitleLength));

/** Rules name fields of the form. */
function checkRuleFields(
  form: { fields: readonly { key: string }[]; routes?: readonly FormRoute[] | undefined },
  ctx: z.RefinementCtx,
): void {
  const keys = new Set(form.fields.map(({ key }) => key));
  form.routes?.forEach((route, at) =>
    route.when?.rules.forEach(({ field }, place) => {
      if (keys.has(field)) return;
      ctx.addIssue({
        code: 'custom',
        path: ['routes', at, 'when', 'rules', place, 'field'],
        message: `there is no field "${field}"`,
        input: form,
      });
    }),
  );
}

const captchaSchema = z
  .strictObject({
    verify_url: urlLengthSchema.describe('Where answers are verified: any service with a siteverify API.'),
    secret: z
      .string()
      .min(1)
      .check(characters(limits.formCaptchaSecretLength))
      .optional()
      .describe('Never shown. A PUT without it keeps the stored one.'),
  })
  .describe('The service gets `secret`, `response` (the `_captcha` of the submission) and `remoteip`.');

const formFields = {
  name: nameSchema,
  title_en: titleSchema.nullish().describe('Shown above the form. Default: the name.'),
  title_ru: titleSchema.nullish(),
  fields: z.array(fieldSchema).min(1).max(limits.formFields).superRefine(uniqueKeys),
  routes: z.array(routeSchema).max(limits.formRoutes).default([]),
  allowed_origins: z
    .array(originSchema)
    .max(limits.formOrigins)
    .transform((origins) => [...new Set(origins)])
    .default([])
    .describe(
      'The sites that may post to `submit_url`: `https://host[:port]`, `https://*.host` for its subdomains, `*` for any. An empty list: none.',
    ),
  min_seconds: z
    .number()
    .int()
    .min(0)
    .max(limits.formMinSeconds)
    .default(0)
    .describe('A submission within this time after its token was issued is spam. 0: no token is needed.'),
  captcha: captchaSchema.nullish(),
  redirect_url: urlLengthSchema.nullish().describe('Where a browser goes after a submission.'),
  status: z.enum(['active', 'disabled']).default('active'),
};

export const newFormSchema = z
  .strictObject(formFields)
  .superRefine(checkRuleFields)
  .refine(({ captcha }) => !captcha || captcha.secret !== undefined, {
    path: ['captcha', 'secret'],
    message: 'is required',
  })
  .meta({
    id: 'NewForm',
    examples: [
      {
        name: 'Call me back',
        title_en: 'We will call you back',
        title_ru: 'Перезвоним вам',
        fields: [
          { key: 'name', type: 'text', label_en: 'Your name', label_ru: 'Как вас зовут', required: true },
          { key: 'phone', type: 'phone', label_en: 'Phone', label_ru: 'Телефон', required: true },
          {
            key: 'topic',
            type: 'select',
            label_en: 'What is it about?',
            label_ru: 'О чём вопрос?',
            options: [{ value: 'order', label_en: 'An order', label_ru: 'Заказ' }, { value: 'other' }],
          },
        ],
        routes: [
          { action: 'tag', tag: 'callback' },
          {
            action: 'message',
            to: 'members',
            content: { text: 'Call {{name}}: {{phone}}', personalize: true },
            when: { rules: [{ field: 'topic', op: 'eq', value: 'order' }] },
          },
        ],
        allowed_origins: ['https://shop.example'],
      },
    ],
  });

/** A PUT replaces everything but the id and, if it is not given, the secret of the captcha. */
export const replacedFormSchema = z
  .strictObject(formFields)
  .superRefine(checkRuleFields)
  .meta({
    id: 'NewForm',
    examples: [
      {
        name: 'Call me back',
        fields: [{ key: 'phone', type: 'phone', label_en: 'Phone', required: true }],
        status: 'disabled',
      },
    ],
  });
export type FormValues = z.output<typeof replacedFormSchema>;

const fieldView = z.strictObject(fieldShape).meta({ id: 'FormField' });

/** The route as it is shown. */
const routeView = z
  .discriminatedUnion('action', [
    z.strictObject({ ...routeSchemas.tag.shape, tag: z.string().meta({ examples: ['callback'] }) }),
    routeSchemas.ticket,
    routeSchemas.event,
    z.strictObject({ ...routeSchemas.message.shape, content: z.strictObject(givenContentFields) }),
    routeSchemas.spam,
  ])
  .meta({ id: 'FormRoute' });

export const formSchema = z
  .lazy(() =>
    z.strictObject({
      form_id: idSchema,
      name: z.string().meta({ examples: ['Call me back'] }),
      title_en: z.string().nullable(),
      title_ru: z.string().nullable(),
      fields: z.array(fieldView),
      routes: z.array(routeView),
      allowed_origins: z.array(z.string()).meta({ examples: [['https://shop.example']] }),
      min_seconds: z.number().int(),
      captcha: z
        .strictObject({
          verify_url: z
            .string()
            .meta({ examples: ['https://challenges.cloudflare.com/turnstile/v0/siteverify'] }),
        })
        .nullable(),
      redirect_url: z
        .string()
        .nullable()
        .meta({ examples: ['https://shop.example/thanks'] }),
      status: z.enum(['active', 'disabled']),
      submit_url: z
        .string()
        .describe('The `action` of an HTML form.')
        .meta({ examples: ['https://herald.example.com/f/4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01'] }),
      hosted_url: z
        .string()
        .describe('The page with the form.')
        .meta({ examples: ['https://herald.example.com/forms/4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01'] }),
      ...channelLinks(),
      created_at: timestampSchema,
      updated_at: timestampSchema,
    }),
  )
  .meta({ id: 'Form' });
export type FormView = z.infer<typeof formSchema>;

const counted = (of: string) =>
  z.number().int().describe(`${of}, counted up to ${limits.formSubmissionsCounted}.`);

export const formStatsSchema = z.strictObject({
  data: z.array(
    z.strictObject({
      form_id: idSchema,
      new: counted('Submissions outside the spam folder'),
      spam: counted('Submissions in the spam folder'),
      last_at: timestampSchema.nullable().describe('The newest submission that is not spam.'),
    }),
  ),
});
export type FormStats = z.infer<typeof formStatsSchema>;

export const formListQuery = z.strictObject({ ...pageQuery });
export const formParams = z.strictObject({ form_id: idSchema });
export const submissionParams = z.strictObject({ id: idSchema });
export const linkQuery = z.strictObject({ subscriber_id: subscriberIdSchema });
export const formLinkSchema = z.strictObject({
  url: z
    .string()
    .describe('The page with the form; answers are those of the subscriber.')
    .meta({ examples: ['https://herald.example.com/forms/4f0c6a6e-2f0b-4c1d-9a4e-8a4d5f8f6f01?s=…'] }),
});

export const submissionStatuses = ['new', 'spam'] as const;
export type SubmissionStatus = (typeof submissionStatuses)[number];
export const submissionSources = ['web', 'hosted', 'bot'] as const;
export type SubmissionSource = (typeof submissionSources)[number];
export const routeStatuses = ['done', 'skipped', 'failed'] as const;
export type RouteStatus = (typeof routeStatuses)[number];

const answerSchema = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);
export type Answer = z.infer<typeof answerSchema>;
export type Answers = Record<string, Answer>;
const answersSchema = z
  .record(z.string(), answerSchema)
  .describe('By the keys of the fields.')
  .meta({ examples: [{ phone: '+1 555 010 0199' }] });

export const submissionSchema = z
  .strictObject({
    submission_id: idSchema,
    form_id: idSchema,
    status: z.enum(submissionStatuses),
    answers: answersSchema,
    ...nullableWhoFields,
    source: z.enum(submissionSources),
    routes: z
      .array(
        z.strictObject({
          index: z.number().int().describe('The place of the route in the form, from 0.'),
          action: z.enum(routeActions),
          status: z.enum(routeStatuses),
          reason: z.string().nullable(),
        }),
      )
      .describe('The routes that have run.'),
    created_at: timestampSchema,
  })
  .meta({ id: 'Submission' });
export type SubmissionView = z.infer<typeof submissionSchema>;

export const submissionListQuery = z.strictObject({
  status: z.enum(submissionStatuses).optional(),
  ...pageQuery,
});
export const submissionChangesSchema = z
  .strictObject({
    status: z
      .enum(submissionStatuses)
      .describe('`new` on a submission in the spam folder runs its routes and sends its event, once.'),
  })
  .meta({ examples: [{ status: 'new' }] });

/** What a site posts: the answers by the keys of the fields, and what is no answer. */
export const submittedSchema = z
  .looseObject({
    _hp: z.unknown().optional().describe('Must be empty: a field that people do not see.'),
    _token: z.unknown().optional().describe('Of `GET /f/{form_id}`; for forms with `min_seconds`.'),
    _captcha: z.unknown().optional().describe('The response of the captcha.'),
    _request_id: z
      .string()
      .min(limits.formRequestIdLength.min)
      .check(characters(limits.formRequestIdLength.max))
      .optional()
      .describe('The same id within 24 hours gets the same response and has no further effect.'),
  })
  .meta({ examples: [{ name: 'Anna', phone: '+1 555 010 0199' }] });
export type Submitted = z.output<typeof submittedSchema>;

export const acceptedSchema = z.strictObject({ ok: z.literal(true), submission_id: idSchema });

export const publicFormSchema = z.strictObject({
  title: z.string().meta({ examples: ['We will call you back'] }),
  fields: z.array(fieldView),
  token: z
    .string()
    .describe('Pass it as `_token`.')
    .meta({ examples: ['1768473000.…'] }),
});
export const publicFormQuery = z.strictObject({ lang: z.enum(['ru', 'en']).optional() });

/** A text in the language of the reader, or in the other one. */
export function inLanguage<T extends string>(
  lang: Language,
  { en, ru }: { en?: T | null | undefined; ru?: T | null | undefined },
): T | null {
  return (lang === 'ru' ? (ru ?? en) : (en ?? ru)) ?? null;
}

export function titleOf(
  form: { name: string; title_en?: string | null | undefined; title_ru?: string | null | undefined },
  lang: Language,
): string {
  return inLanguage(lang, { en: form.title_en, ru: form.title_ru }) ?? form.name;
}

export function labelOf(
  labelled: { label_en?: string | undefined; label_ru?: string | undefined },
  lang: Language,
): string | null {
  return inLanguage(lang, { en: labelled.label_en, ru: labelled.label_ru });
}

/** The messages of a form's routes, with the place of each in the request. */
export function contentsOf(routes: readonly FormRoute[]): { path: string; content: GivenContent }[] {
  return routes.flatMap((route, index) =>
    route.action === 'message'
      ? [{ path: `routes[${index}].content.`, content: normalContent(route.content) }]
      : [],
  );
}
