import type { z } from 'zod';
import type { ContentAsGiven, contentSchema, TemplateVars } from '../../../src/base/contract/content';
import { limits } from '../../../src/base/contract/limits';

type GivenContent = z.input<typeof contentSchema>;

/** A button as it is typed. */
export interface ButtonDraft {
  key: number;
  text: string;
  action: 'url' | 'data';
  /** The address, or what the event of a tap carries. */
  value: string;
  /** In the row of the button before it. */
  beside: boolean;
}

/** The content of a message as it is typed: a template, or all of it. */
export interface ContentDraft {
  /** The key of a template; empty for a message that is written here. */
  template: string;
  /** For the template or, in a message that was made by the API, for its own placeholders. */
  vars: TemplateVars;
  text: string;
  format: 'plain' | 'markdown' | 'html';
  mediaType: 'photo' | 'video' | 'document' | '';
  mediaUrl: string;
  buttons: ButtonDraft[];
  /** Of a stored message: whether its texts are personal. It stays so until they are changed. */
  asStored: { texts: string[]; isPersonal: boolean } | null;
}

export const emptyContent: ContentDraft = {
  template: '',
  vars: {},
  text: '',
  format: 'plain',
  mediaType: '',
  mediaUrl: '',
  buttons: [],
  asStored: null,
};

/** The fields that the API can name in an error. */
export const contentFields = ['text', 'format', 'media', 'buttons', 'template', 'vars'] as const;
export type ContentField = (typeof contentFields)[number];

/** What the API takes as `content`, or among the fields of a broadcast. */
export function contentOf(draft: ContentDraft): GivenContent {
  if (draft.template !== '') {
    const vars = Object.entries(draft.vars).filter(([, value]) => value !== '');
    return { template: draft.template, vars: Object.fromEntries(vars) };
  }
  return {
    text: draft.text,
    format: draft.format,
    buttons: buttonsOf(draft.buttons),
    ...mediaOf(draft),
    ...(isPersonal(draft) ? { personalize: true, ...varsOf(draft) } : {}),
  };
}

function varsOf({ vars }: ContentDraft): Pick<GivenContent, 'vars'> {
  return Object.keys(vars).length === 0 ? {} : { vars };
}

/** A placeholder that is typed into a text or into the address of a button makes the message personal. */
export function isPersonal(draft: ContentDraft): boolean {
  const texts = renderedTexts(draft);
  const { asStored } = draft;
  if (asStored && JSON.stringify(asStored.texts) === JSON.stringify(texts)) return asStored.isPersonal;
  return texts.some((text) => text.includes('{{'));
}

/** What placeholders can stand in. */
function renderedTexts({ text, buttons }: Pick<ContentDraft, 'text' | 'buttons'>): string[] {
  const ofButtons = buttons.flatMap((button) => [button.text, button.action === 'url' ? button.value : '']);
  return [text, ...ofButtons];
}

export function mediaOf({
  mediaType,
  mediaUrl,
}: Pick<ContentDraft, 'mediaType' | 'mediaUrl'>): Pick<GivenContent, 'media'> {
  return mediaType === '' ? {} : { media: { type: mediaType, url: mediaUrl.trim() } };
}

/** Rows of buttons; those without any text are left out. */
export function buttonsOf(drafts: ButtonDraft[]): NonNullable<GivenContent['buttons']> {
  const written = drafts.filter(({ text, value }) => text.trim() !== '' || value.trim() !== '');
  return buttonRows(written).map((row) =>
    row.map(({ text, action, value }) => ({ text: text.trim(), [action]: value.trim() })),
  );
}

/** The buttons in their rows, unfinished ones too. */
export function buttonRows(drafts: ButtonDraft[]): ButtonDraft[][] {
  const rows: ButtonDraft[][] = [];
  for (const button of drafts) {
    const last = rows.at(-1);
    if (button.beside && last && last.length < limits.buttonsPerRow) last.push(button);
    else rows.push([button]);
  }
  return rows;
}

/** Stored content, to be edited. */
export function contentDraft(content: ContentAsGiven): ContentDraft {
  const texts = { text: content.text ?? '', buttons: buttonDrafts(content.buttons ?? []) };
  return {
    template: content.template ?? '',
    vars: content.vars ?? {},
    ...texts,
    format: content.format ?? 'plain',
    ...mediaDraft(content),
    asStored:
      content.template === undefined
        ? { texts: renderedTexts(texts), isPersonal: content.personalize ?? false }
        : null,
  };
}

export function mediaDraft({
  media,
}: Pick<ContentAsGiven, 'media'>): Pick<ContentDraft, 'mediaType' | 'mediaUrl'> {
  return { mediaType: media?.type ?? '', mediaUrl: media?.url ?? '' };
}

export function buttonDrafts(rows: NonNullable<ContentAsGiven['buttons']>): ButtonDraft[] {
  return rows
    .flatMap((row) => row.map((button, place) => ({ button, beside: place > 0 })))
    .map(({ button, beside }, key) => ({
      key,
      text: button.text,
      action: button.data === undefined ? 'url' : 'data',
      value: button.data ?? button.url ?? '',
      beside,
    }));
}

export function isEmptyContent(draft: ContentDraft): boolean {
  return draft.template === '' && draft.text.trim() === '';
}
