import type { Language } from '../../base/contract/common';
import {
  buttonDataSchema,
  buttonTextSchema,
  type ContentButton,
  type InlineContent,
  textSchema,
  urlLengthSchema,
} from '../../base/contract/content';
import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { compilePlain, compileText, compileUrl, type Compiled } from './compile';
import type { TemplateSource, Variant } from './contract';
import { TemplateFault } from './placeholders';

/** A value; null or empty if it is known and has none; undefined if the name is unknown. */
export type ValueOf = (name: string) => string | null | undefined;

export interface RenderedContent {
  text: string;
  format: TemplateSource['format'];
  buttons: ContentButton[][];
  media?: { type: 'photo' | 'video' | 'document'; url: string };
}

interface CompiledVariant {
  text: Compiled;
  buttons: { text: Compiled; url?: Compiled; data?: Compiled }[][];
  media?: { type: 'photo' | 'video' | 'document'; url: Compiled };
}

/** A template that is ready to be rendered any number of times. */
export interface Template {
  /** Every name that its placeholders use, once, in the order of their first use. */
  names: string[];
  langFor(lang: Language | null): Language;
  /** The texts of the buttons as given, by rows. */
  buttonTexts(lang: Language): string[][];
  render(lang: Language, valueOf: ValueOf): RenderedContent;
}

/** Throws `validation_failed`, naming the field, if a placeholder is malformed or stands where none can. */
export function compileTemplate(source: TemplateSource, path = ''): Template {
  const variants = new Map<Language, CompiledVariant>();
  for (const lang of ['en', 'ru'] as const) {
    const variant = source.variants[lang];
    const place = source.inline ? path : `${path}variants.${lang}.`;
    if (variant) variants.set(lang, compileVariant(variant, source, place));
  }
  const langFor = (lang: Language | null) =>
    lang !== null && variants.has(lang) ? lang : source.default_lang;
  return {
    names: [...new Set([...variants.values()].flatMap(partsOf).flatMap(namesIn))],
    langFor,
    buttonTexts: (lang) =>
      (source.variants[langFor(lang)]?.buttons ?? []).map((row) => row.map(({ text }) => text)),
    render(lang, valueOf) {
      const variant = variants.get(langFor(lang));
      if (!variant) throw new Error('the template has no variant in its default language');
      const fill = (compiled: Compiled, limit: number) => rendered(compiled, valueOf, limit);
      return {
        text: fill(variant.text, limits.messageTextLength),
        format: source.format,
        buttons: variant.buttons.map((row) =>
          row.map(({ text, url, data }) => ({
            text: fill(text, limits.buttonTextLength),
            ...(url && { url: fill(url, limits.urlLength) }),
            ...(data && { data: fill(data, limits.buttonDataLength) }),
          })),
        ),
        ...(variant.media && {
          media: { type: variant.media.type, url: fill(variant.media.url, limits.urlLength) },
        }),
      };
    },
  };
}

function compileVariant(variant: Variant, { format, inline }: TemplateSource, path: string): CompiledVariant {
  const { text, buttons, media } = variant;
  const isLiteral = inline === 'literal';
  const [plain, url] = isLiteral ? [literal, literal] : [compilePlain, compileUrl];
  const [data, mediaUrl] = inline ? [literal, literal] : [compilePlain, compileUrl];
  return {
    text: at(`${path}text`, () => (isLiteral ? literal(text) : compileText(text, format))),
    buttons: buttons.map((row, y) =>
      row.map((button, x) => {
        const place = `${path}buttons[${y}][${x}]`;
        return {
          text: at(`${place}.text`, () => plain(button.text)),
          ...(button.url !== undefined && { url: at(`${place}.url`, () => url(button.url ?? '')) }),
          ...(button.data !== undefined && {
            data: at(`${place}.data`, () => data(button.data ?? '')),
          }),
        };
      }),
    ),
    ...(media && { media: { type: media.type, url: at(`${path}media.url`, () => mediaUrl(media.url)) } }),
  };
}

function literal(text: string): Compiled {
  return [text];
}

export function at<T>(path: string, compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    throw new AppError('validation_failed', `${path}: ${error.message}`);
  }
}

function partsOf({ text, buttons, media }: CompiledVariant): Compiled[] {
  const inButtons = buttons.flat().flatMap((button) => [button.text, button.url ?? [], button.data ?? []]);
  return [text, ...inButtons, media?.url ?? []];
}

export function namesIn(compiled: Compiled): string[] {
  return compiled.flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]));
}

/**
 * One pass: a value is never parsed again. A result above the limit is cut after twice the limit, in which every way of
 * counting finds it too long, so that no values can make it larger than that.
 */
export function rendered(compiled: Compiled, valueOf: ValueOf, limit: number): string {
  const most = 2 * limit + 1;
  let result = '';
  for (const piece of compiled) {
    result += typeof piece === 'string' ? piece : piece.escape(valueOf(piece.name) || (piece.fallback ?? ''));
    if (result.length > most) return wellFormed(result.slice(0, most));
  }
  return result;
}

/** Without the first half of a surrogate pair whose second half was cut off. */
function wellFormed(cut: string): string {
  return cut.replace(/[\ud800-\udbff]$/, '\ufffd');
}

/** What keeps a rendered message from being sent; null if it can be sent. The rules are those of a message given in full. */
export function faultOf({ text, buttons, media }: Omit<InlineContent, 'format'>): string | null {
  if (text.trim() === '') return 'The text is empty.';
  if (!fits(textSchema, text)) return 'The text is too long.';
  for (const button of buttons.flat()) {
    if (button.text.trim() === '') return 'The text of a button is empty.';
    if (!fits(buttonTextSchema, button.text)) return 'The text of a button is too long.';
    if (button.data === '') return 'The data of a button is empty.';
    if (!fits(buttonDataSchema, button.data ?? 'x')) return 'The data of a button is too long.';
    if (!fits(urlLengthSchema, button.url ?? '')) return 'The URL of a button is too long.';
  }
  if (!fits(urlLengthSchema, media?.url ?? '')) return 'The URL of the media is too long.';
  return null;
}

function fits(schema: { safeParse(value: string): { success: boolean } }, value: string): boolean {
  return schema.safeParse(value).success;
}
