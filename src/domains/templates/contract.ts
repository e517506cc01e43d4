import { z } from 'zod';
import { characters } from '../../base/contract/characters';
import { languages, pageQuery, timestampSchema } from '../../base/contract/common';
import {
  contentFields,
  contentSchema,
  formatSchema,
  mediaSchema,
  templateKeySchema,
  varsSchema,
} from '../../base/contract/content';
import { limits } from '../../base/contract/limits';
import { subscriberIdSchema } from '../subscribers/contract';

export const templatePurposes = ['message', 'reply'] as const;
export type TemplatePurpose = (typeof templatePurposes)[number];

const variantSchema = z
  .strictObject({
    text: contentFields.text,
    buttons: contentFields.buttons,
    media: contentFields.media,
  })
  .meta({ id: 'TemplateVariant' });
export type Variant = z.output<typeof variantSchema>;

/** As it was given: without buttons and media that it does not have. */
const variantView = variantSchema
  .extend({
    buttons: variantSchema.shape.buttons
      .unwrap()
      .optional()
      .meta({ examples: [[[{ text: 'Track it', url: 'https://shop.example.com/orders/1001' }]]] }),
  })
  .meta({ id: 'TemplateVariant' });
export type VariantView = z.output<typeof variantView>;

const definitionFields = {
  name: z.string().trim().min(1).check(characters(limits.nameLength)).optional(),
  purpose: z
    .enum(templatePurposes)
    .default('message')
    .describe('`reply`: a canned reply of the helpdesk, which also knows `ticket.number` and `agent`.'),
  format: formatSchema.default('plain'),
  default_lang: z
    .enum(languages)
    .optional()
    .describe('The variant for recipients whose language has none. Default: `en`, else `ru`.'),
  variants: z
    .strictObject({ en: variantSchema.optional(), ru: variantSchema.optional() })
    .refine(({ en, ru }) => en !== undefined || ru !== undefined, 'must have en or ru'),
};

type Definition = { default_lang?: 'en' | 'ru' | undefined; variants: { en?: unknown; ru?: unknown } };

const needsVariant = {
  path: ['default_lang'],
  message: 'needs a variant in this language',
};
const hasDefaultVariant = ({ default_lang, variants }: Definition) =>
  default_lang === undefined || variants[default_lang] !== undefined;

/** A PUT's body: everything but the key. */
export const templateDefinitionSchema = z
  .strictObject(definitionFields)
  .refine(hasDefaultVariant, needsVariant)
  .meta({
    id: 'TemplateDefinition',
    examples: [{ variants: { en: { text: 'Hi {{first_name|there}}, {{order}} is on its way.' } } }],
  });
export type TemplateDefinition = z.output<typeof templateDefinitionSchema>;

export const newTemplateSchema = z
  .strictObject({ key: templateKeySchema, ...definitionFields })
  .refine(hasDefaultVariant, needsVariant)
  .meta({
    examples: [
      {
        key: 'shipped',
        variants: { en: { text: 'Hi {{first_name|there}}, order {{order}} is on its way.' } },
      },
    ],
  });
export type NewTemplate = z.output<typeof newTemplateSchema>;

/** What is rendered: fixed with its version when a request is accepted. */
export interface TemplateSource {
  format: z.output<typeof formatSchema>;
  default_lang: 'en' | 'ru';
  variants: { en?: Variant | undefined; ru?: Variant | undefined };
  /**
   * A message that a request gives in full, for all languages. `personal`: its text and the buttons' texts and URLs are rendered;
   * `literal`: nothing is.
   */
  inline?: 'personal' | 'literal';
}

export const templateSchema = z
  .strictObject({
    key: z.string().meta({ examples: ['shipped'] }),
    name: z
      .string()
      .nullable()
      .meta({ examples: ['Shipped'] }),
    purpose: z.enum(templatePurposes),
    format: formatSchema,
    default_lang: z.enum(languages),
    variants: z.strictObject({ en: variantView.optional(), ru: variantView.optional() }),
    variables: z
      .array(z.string())
      .describe('Every name that the placeholders use, built-in names included.')
      .meta({ examples: [['order']] }),
    version: z.number().int(),
    created_at: timestampSchema,
    updated_at: timestampSchema,
  })
  .meta({ id: 'Template' });
export type TemplateView = z.infer<typeof templateSchema>;

export const templateParams = z.strictObject({ key: templateKeySchema });
export const templateListQuery = z.strictObject({
  purpose: z.enum(templatePurposes).optional(),
  ...pageQuery,
});

export const previewSchema = z
  .strictObject({
    key: templateKeySchema.optional(),
    template: templateDefinitionSchema.optional().describe('A template that is not saved, as in PUT.'),
    content: contentSchema.optional().describe('The content of a message.'),
    subscriber_id: subscriberIdSchema.optional().describe('Whose name, language and other values are used.'),
    lang: z
      .enum(languages)
      .optional()
      .describe('Default: the language of the subscriber, else default_lang.'),
    vars: varsSchema.optional(),
  })
  .refine(({ key, template, content }) => [key, template, content].filter(Boolean).length === 1, {
    path: ['key'],
    message: 'is required, or template, or content, but only one of them',
  })
  .meta({
    examples: [
      {
        template: { variants: { en: { text: 'Hi {{first_name|there}}, order {{order}} is on its way.' } } },
        vars: { order: 1001 },
      },
    ],
  });
export type PreviewRequest = z.output<typeof previewSchema>;

export const previewResultSchema = z.strictObject({
  lang: z.enum(languages),
  text: z.string().meta({ examples: ['Your order is on its way.'] }),
  format: formatSchema,
  buttons: z
    .array(
      z.array(z.strictObject({ text: z.string(), url: z.string().optional(), data: z.string().optional() })),
    )
    .meta({ examples: [[[{ text: 'Track it', url: 'https://shop.example.com/orders/1001' }]]] }),
  media: z
    .strictObject({
      type: mediaSchema.shape.type,
      url: z.string().meta({ examples: ['https://shop.example.com/summer.jpg'] }),
    })
    .nullable(),
  missing: z
    .array(z.string())
    .describe('Names that a message with these `vars` would be refused for.')
    .meta({ examples: [[]] }),
});
export type PreviewResult = z.infer<typeof previewResultSchema>;

const ownTextSchema = z
  .string()
  .trim()
  .min(1)
  .check(characters(limits.projectTextLength))
  .nullable()
  .optional();
const inLanguages = z.strictObject({ en: ownTextSchema, ru: ownTextSchema }).nullable().optional();

export const projectTextChangesSchema = z
  .strictObject({
    welcome: inLanguages.describe('To a new subscriber.'),
    help: inLanguages.describe('When your own bot is opened without a link.'),
    after_login: inLanguages.describe('What the bot’s question becomes after Yes.'),
  })
  .meta({ examples: [{ welcome: { en: 'Hi {{first_name|there}}! You’ll hear from {{project}} here.' } }] });
export type ProjectTextChanges = z.output<typeof projectTextChangesSchema>;

const textInLanguages = z
  .strictObject({ en: z.string().nullable(), ru: z.string().nullable() })
  .meta({ id: 'TextInLanguages' });
export const projectTextsSchema = z
  .strictObject({ welcome: textInLanguages, help: textInLanguages, after_login: textInLanguages })
  .describe('Null: the bot’s own text.')
  .meta({ id: 'ProjectTexts' });
export type ProjectTexts = z.infer<typeof projectTextsSchema>;
