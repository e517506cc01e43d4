import { isTemplated, type GivenContent } from '../contract/content';
import type { SubscriberIdFormat } from '../contract/ids';
import type { Db } from '../db/pool';
import type { LocalPolicy } from '../outbound/addresses';
import {
  compileTemplate,
  type FixedTemplate,
  type FurtherNames,
  resolveTemplate,
  type TemplateRecipient,
  valuesFor,
} from '../templates';
import { contentOf, type ContentView, type MediaFacts, type MessageContent } from './contract';
import { checkEachMedia, mediaField } from './media-facts';

/** A template in the version of the request, with what is known about media that is the same for every recipient. */
export interface StoredTemplate extends FixedTemplate {
  /** By URL. */
  facts: Record<string, MediaFacts>;
}

/** The content of many messages, as it is stored once for all of them. */
export type StoredContent = MessageContent | StoredTemplate;

export function isStoredTemplate(content: StoredContent): content is StoredTemplate {
  return 'template' in content;
}

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
  if (!isTemplated(content)) {
    if (!content.media) return content;
    const placed = { ...content.media, field: mediaField(content, path) };
    const factsOf = await checkEachMedia([placed], projectId, policy);
    return { ...content, media: { ...content.media, ...factsOf(content.media) } };
  }
  const { fixed } = await resolveTemplate(db, projectId, content, path, further);
  const { en, ru } = fixed.source.variants;
  const media = [en?.media, ru?.media].flatMap((each) => (each && !each.url.includes('{{') ? [each] : []));
  const field = mediaField(content, path);
  const factsOf = await checkEachMedia(
    media.map((each) => ({ ...each, field })),
    projectId,
    policy,
  );
  return { ...fixed, facts: Object.fromEntries(media.map((each) => [each.url, factsOf(each)])) };
}

/** Without what Herald has found out about the media. */
export function viewStored(content: StoredContent): ContentView {
  if (isStoredTemplate(content)) {
    const { template, vars } = content;
    return { text: null, format: 'plain', buttons: [], media: null, template, vars };
  }
  const { text, format, buttons, media } = content;
  return {
    text,
    format,
    buttons,
    media: media ? { type: media.type, url: media.url } : null,
    template: null,
    vars: {},
  };
}

export type ContentFor = (recipient: TemplateRecipient) => MessageContent;

/** `id` identifies media whose URL differs between the recipients. */
export function contentFor(
  stored: StoredContent,
  { project, format, id }: { project: string; format: SubscriberIdFormat; id: string },
): ContentFor {
  if (!isStoredTemplate(stored)) return () => stored;
  const compiled = compileTemplate(stored.source);
  return (recipient) => {
    const { media, ...content } = compiled.render(
      recipient.lang,
      valuesFor(recipient, { vars: stored.vars, project, format }),
    );
    if (!media) return content;
    const facts = stored.facts[media.url] ?? { bytes: null, key: `${id} ${media.url}` };
    return { ...content, media: { ...media, ...facts } };
  };
}
