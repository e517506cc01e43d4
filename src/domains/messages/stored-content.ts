import {
  isRenderable,
  isTemplated,
  type GivenContent,
  type InlineContent,
} from '../../base/contract/content';
import type { SubscriberIdFormat } from '../../base/contract/ids';
import type { Db } from '../../base/db/pool';
import type { LocalPolicy } from '../../base/outbound/addresses';
import {
  compileTemplate,
  type FixedTemplate,
  type FurtherNames,
  resolveTemplate,
  resolveTemplates,
  type Template,
  type TemplateRecipient,
  valuesFor,
} from '../templates';
import type { TemplateSource } from '../templates/contract';
import { contentOf, type ContentView, type MediaFacts, type MessageContent } from './contract';
import { checkEachMedia, type FactsOf, mediaField, type PlacedMedia } from './media-facts';

/** A template in the version of the request, with what is known about media that is the same for every recipient. */
interface StoredTemplate extends FixedTemplate {
  /** By URL. */
  facts: Record<string, MediaFacts>;
}

/** The content of many messages, as it is stored once for all of them. */
export type StoredContent = MessageContent | StoredTemplate;

export function isStoredTemplate<T extends StoredContent | BatchContent>(
  content: T,
): content is Exclude<T, MessageContent> {
  return 'template' in content;
}

/** The templates of a batch in the version of the request, stored once for all of its messages. */
export interface BatchTemplates {
  templates: Record<string, TemplateSource>;
}

/** A message of a batch. A template that has a key is among those of the batch. */
export type BatchContent = MessageContent | (Omit<StoredTemplate, 'source'> & { source?: TemplateSource });

/** Refuses an unknown template, a name without a value and media that cannot be sent. */
export async function storeContent(
  db: Db,
  projectId: string,
  given: GivenContent,
  policy: LocalPolicy,
  /** The content's place in the request, and the names that its template knows besides the usual ones. */
  { path = '', further = [] }: { path?: string; further?: readonly FurtherNames[] } = {},
): Promise<StoredContent> {
  const content = contentOf(given);
  const fixed = isRenderable(content)
    ? (await resolveTemplate(db, projectId, content, path, further)).fixed
    : null;
  const factsOf = await checkEachMedia(literalMedia(content, fixed, path), projectId, policy);
  return withFacts(content, fixed, factsOf);
}

/** As `storeContent`, for the messages of a batch. */
export async function storeContents(
  db: Db,
  projectId: string,
  contents: GivenContent[],
  policy: LocalPolicy,
): Promise<BatchTemplates & { contents: BatchContent[] }> {
  const pathOf = (index: number) => `messages[${index}].`;
  const resolved = await resolveTemplates(db, projectId, contents, pathOf);
  const fixedAt = (index: number) => resolved[index]?.fixed ?? null;
  const media = contents.flatMap((content, index) => literalMedia(content, fixedAt(index), pathOf(index)));
  const factsOf = await checkEachMedia(media, projectId, policy);
  const templates: BatchTemplates['templates'] = {};
  const stored = contents.map((content, index): BatchContent => {
    const each = withFacts(content, fixedAt(index), factsOf);
    if (!isStoredTemplate(each)) return each;
    const { source, ...rest } = each;
    if (each.template === null) return each;
    templates[each.template] = source;
    return rest;
  });
  return { templates, contents: stored };
}

/** Media whose URL is the same for every recipient. */
function literalMedia(content: GivenContent, fixed: FixedTemplate | null, path: string): PlacedMedia[] {
  const field = mediaField(content, path);
  const { en, ru } = fixed?.source.variants ?? {};
  const media = isTemplated(content) ? [en?.media, ru?.media] : [content.media];
  const differs = (url: string) => isTemplated(content) && url.includes('{{');
  return media.flatMap((each) => (each && !differs(each.url) ? [{ ...each, field }] : []));
}

function withFacts(content: GivenContent, fixed: FixedTemplate | null, factsOf: FactsOf): StoredContent {
  if (fixed) {
    const media = literalMedia(content, fixed, '');
    return { ...fixed, facts: Object.fromEntries(media.map((each) => [each.url, factsOf(each)])) };
  }
  const { media, ...inline } = content as InlineContent;
  return media ? { ...inline, media: { ...media, ...factsOf(media) } } : inline;
}

/** Without what Herald has found out about the media. */
export function viewStored(content: StoredContent): ContentView {
  if (isStoredTemplate(content)) {
    const { template, vars, source } = content;
    const given = source.inline && source.variants.en;
    return given
      ? viewInline({ ...given, format: source.format }, { personalize: true, vars })
      : { text: null, format: 'plain', buttons: [], media: null, personalize: false, template, vars };
  }
  return viewInline(content, { personalize: false, vars: {} });
}

function viewInline(
  { text, format, buttons, media }: MessageContent,
  given: Pick<ContentView, 'personalize' | 'vars'>,
): ContentView {
  return {
    text,
    format,
    buttons: buttons.map((row) => row.map(({ given: _given, ...button }) => button)),
    media: media ? { type: media.type, url: media.url } : null,
    template: null,
    ...given,
  };
}

/** The texts, before they are rendered, of the buttons whose taps are recorded. */
export function buttonTextsOf(content: StoredContent | BatchTemplates): string[] {
  if ('templates' in content) return Object.values(content.templates).flatMap(textsOfTemplate);
  if (isStoredTemplate(content)) return textsOfTemplate(content.source);
  return textsOf(content.buttons);
}

function textsOfTemplate({ variants: { en, ru } }: TemplateSource): string[] {
  return [...textsOf(en?.buttons ?? []), ...textsOf(ru?.buttons ?? [])];
}

function textsOf(buttons: { text: string; data?: string | undefined }[][]): string[] {
  return buttons.flat().flatMap(({ text, data }) => (data === undefined ? [] : [text]));
}

type ContentFor = (recipient: TemplateRecipient) => MessageContent;

interface RenderContext {
  project: string;
  format: SubscriberIdFormat;
  /** Identifies media whose URL differs between the recipients. */
  id: string;
}

export function contentFor(stored: StoredContent, context: RenderContext): ContentFor {
  if (!isStoredTemplate(stored)) return () => stored;
  const compiled = compileTemplate(stored.source);
  return (recipient) => rendered(compiled, stored, recipient, context);
}

/**
 * The message of a recipient: its own, if it has one, else that of the job. A template is compiled once for all. What was
 * rendered for an earlier run stays as it was.
 */
export function ownContentFor(
  job: StoredContent | BatchTemplates,
  context: RenderContext,
): (own: BatchContent | null, recipient: TemplateRecipient) => MessageContent {
  const ofJob = 'templates' in job ? null : contentFor(job, context);
  const templates = 'templates' in job ? job.templates : {};
  const compiled = new Map<string, Template>();
  function templateOf({ template: key, source }: Exclude<BatchContent, MessageContent>): Template | null {
    if (source) return compileTemplate(source);
    const known = compiled.get(key ?? '');
    const found = templates[key ?? ''];
    if (known || !found) return known ?? null;
    const template = compileTemplate(found);
    compiled.set(key ?? '', template);
    return template;
  }
  return (own, recipient) => {
    if (own && !isStoredTemplate(own)) return own;
    if (own) {
      const template = templateOf(own);
      if (!template) throw new Error(`the batch has no template ${own.template}`);
      return rendered(template, own, recipient, context);
    }
    if (!ofJob) throw new Error('a recipient of a batch has no message');
    return ofJob(recipient);
  };
}

function rendered(
  compiled: Template,
  { vars, facts }: Pick<StoredTemplate, 'vars' | 'facts'>,
  recipient: TemplateRecipient,
  { project, format, id }: RenderContext,
): MessageContent {
  const { media, ...rest } = compiled.render(recipient.lang, valuesFor(recipient, { vars, project, format }));
  const given = compiled.buttonTexts(recipient.lang);
  const buttons = rest.buttons.map((row, y) =>
    row.map((button, x) => {
      const text = given[y]?.[x] ?? button.text;
      return text === button.text ? button : { ...button, given: text };
    }),
  );
  const content = { ...rest, buttons };
  if (!media) return content;
  const known = facts[media.url] ?? { bytes: null, key: `${id} ${media.url}` };
  return { ...content, media: { ...media, ...known } };
}
