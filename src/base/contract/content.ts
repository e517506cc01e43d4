import { z } from 'zod';
import { characters } from './characters';
import { AppError } from './errors';
import { limits, MIB } from './limits';

/** What a message consists of, wherever one is given: in /v1/send, in broadcasts, batches and templates. */

export const urlLengthSchema = z.string().check(characters(limits.urlLength));

function webUrl(field: string) {
  return urlLengthSchema.refine(isWebUrl, {
    params: { error: new AppError('invalid_url', `${field}: must be an absolute http or https URL`) },
  });
}

export function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

export const buttonTextSchema = z
  .string()
  .min(1)
  .check(characters(limits.buttonTextLength))
  .refine((text) => text.trim() !== '', 'must not be empty');
export const buttonDataSchema = z.string().min(1).check(characters(limits.buttonDataLength));

const buttonSchema = z
  .strictObject({
    text: buttonTextSchema,
    url: webUrl('buttons').optional(),
    data: buttonDataSchema.optional().describe('Returned in `button.clicked`.'),
  })
  .refine(
    (button) => (button.url === undefined) !== (button.data === undefined),
    'must have either url or data',
  )
  .meta({ id: 'Button' });
export type ContentButton = z.output<typeof buttonSchema>;

const TEXT_TOO_LONG = `can have up to ${limits.messageTextLength} characters; most emoji count as two or more`;

export const textSchema = z
  .string()
  .check(characters(limits.messageTextLength, TEXT_TOO_LONG))
  .refine((text) => text.trim() !== '', 'must not be empty')
  .describe(
    `Up to ${limits.messageTextLength} characters, counted as the messengers do: in UTF-16 code units, of which most emoji have two or more.`,
  )
  .meta({ examples: ['Your order is on its way.'] });

export const formatSchema = z.enum(['plain', 'markdown', 'html']);

export const buttonsSchema = z
  .array(z.array(buttonSchema).min(1).max(limits.buttonsPerRow))
  .max(limits.buttonRows)
  .describe('Rows of buttons; each button has either `url` or `data`.');

export const mediaSchema = z
  .strictObject({
    type: z.enum(['photo', 'video', 'document']),
    url: webUrl('media.url').meta({ examples: ['https://shop.example.com/summer.jpg'] }),
  })
  .describe(
    `A photo of up to ${limits.photoBytes / MIB} MB, or a video or document of up to ${limits.videoOrDocumentBytes / MIB} MB. Telegram shows a photo over 10 MB as a document.`,
  )
  .meta({ id: 'Media' });
export type MessageMedia = z.output<typeof mediaSchema>;

/** The content of a message that is given in full. */
export const contentFields = {
  text: textSchema,
  format: formatSchema.default('plain'),
  buttons: buttonsSchema.default([]),
  media: mediaSchema.optional(),
};

export const templateKeySchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be 1 to 64 characters of a-z, 0-9, _ and -');

export const variableValueSchema = z.union(
  [z.string().check(characters(limits.templateValueLength)), z.number(), z.boolean()],
  `must be a string of up to ${limits.templateValueLength} characters, a number, true or false`,
);

export const varsSchema = z
  .record(
    z
      .string()
      .regex(
        /^[a-z_][a-z0-9_]{0,63}$/,
        'must be 1 to 64 characters of a-z, 0-9 and _, without a leading digit',
      ),
    variableValueSchema,
  )
  .refine(
    (vars) => Object.keys(vars).length <= limits.templateVars,
    `can have up to ${limits.templateVars} variables`,
  )
  .describe('Values for the placeholders of the template. They win over the built-in names.');
export type TemplateVars = z.output<typeof varsSchema>;

/** A message in full, or the name of a template: the fields of both, each optional. */
export const givenContentFields = {
  text: textSchema.optional(),
  format: formatSchema.optional().describe('Default: plain.'),
  buttons: buttonsSchema.optional(),
  media: mediaSchema.optional(),
  personalize: z
    .boolean()
    .optional()
    .describe(
      'Whether `text` and the texts and URLs of the buttons have placeholders, as in a template. Default: false. Not with `template`.',
    ),
  template: templateKeySchema.optional().describe('The key of a template, instead of `text`.'),
  vars: varsSchema.optional(),
};

export type InlineContent = {
  text: string;
  format: z.output<typeof formatSchema>;
  buttons: ContentButton[][];
  media?: MessageMedia | undefined;
};
/** A message in full with placeholders. */
export type PersonalContent = InlineContent & { personalize: true; vars: TemplateVars };
export interface TemplateContent {
  template: string;
  vars: TemplateVars;
}
/** What is rendered for each recipient. */
export type RenderableContent = PersonalContent | TemplateContent;
export type GivenContent = InlineContent | RenderableContent;

type Given = { [K in keyof typeof givenContentFields]?: z.output<(typeof givenContentFields)[K]> };

/** For `superRefine`: a message in full or a template, never both. */
export function checkContent(body: Given, ctx: z.RefinementCtx): void {
  const refuse = (field: string, message: string) =>
    ctx.addIssue({ code: 'custom', path: [field], message, input: body });
  if (body.template === undefined) {
    if (body.text === undefined) refuse('text', 'is required, or template');
    if (body.vars !== undefined && !body.personalize) refuse('vars', 'needs a template, or personalize');
    return;
  }
  for (const field of ['text', 'format', 'buttons', 'media', 'personalize'] as const) {
    if (body[field] !== undefined) refuse(field, 'cannot be combined with template');
  }
}

/** For `transform`, after `checkContent`: the content of a body that has other fields too. */
export function normalContent<B extends Given>(body: B): Omit<B, keyof Given> & GivenContent {
  const { text, format, buttons, media, personalize, template, vars = {}, ...others } = body;
  if (template !== undefined) return { ...others, template, vars };
  const content = {
    text: text ?? '',
    format: format ?? 'plain',
    buttons: buttons ?? [],
    ...(media ? { media } : {}),
    ...(personalize ? { personalize: true as const, vars } : {}),
  };
  return { ...others, ...content };
}

/** A message in full or a template, as a field of its own. It is stored and shown as given; `normalContent` is what is sent. */
export const contentSchema = z
  .strictObject(givenContentFields)
  .superRefine(checkContent)
  .meta({ id: 'Content' });
export type ContentAsGiven = z.output<typeof contentSchema>;

export function isTemplated<T extends object>(content: T): content is T & TemplateContent {
  return 'template' in content;
}

/** Whether each recipient gets a text of their own. */
export function isRenderable(content: GivenContent): content is RenderableContent {
  return isTemplated(content) || 'personalize' in content;
}
