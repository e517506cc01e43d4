import { isRenderable, type GivenContent, type InlineContent } from '../../base/contract/content';
import type { Config } from '../../base/config';
import type { Db } from '../../base/db/pool';
import type { SubscriberRecord } from '../subscribers';
import { type FurtherNames, resolveTemplate, valuesFor } from '../templates';
import { contentOf, type MessageContent } from './contract';
import { checkEachMedia, mediaField } from './media-facts';

/** What a template of the request may show besides the usual names. */
interface Further {
  names: readonly FurtherNames[];
  reply?: { number: number; agent: string | null };
}

/**
 * The content of a request as one recipient gets it: rendered, its media checked. Without a recipient their names are empty.
 * `path` is the place of the content in the request.
 */
export async function contentForOne(
  db: Db,
  config: Pick<Config, 'HERALD_SUBSCRIBER_ID_FORMAT' | 'allowLocalWebhooks'>,
  projectId: string,
  given: GivenContent,
  recipient: SubscriberRecord | null,
  { path, further }: { path: string; further: Further },
): Promise<MessageContent> {
  const content = contentOf(given);
  const inline = await rendered();

  async function rendered(): Promise<InlineContent> {
    if (!isRenderable(content)) return content;
    const { compiled, fixed, project } = await resolveTemplate(db, projectId, content, path, further.names);
    const format = config.HERALD_SUBSCRIBER_ID_FORMAT;
    const values = valuesFor(recipient, { vars: fixed.vars, project, format, reply: further.reply });
    return compiled.render(recipient?.lang ?? fixed.source.default_lang, values);
  }

  const { media } = inline;
  if (!media) return inline;
  const placed = { ...media, field: mediaField(content, path) };
  const factsOf = await checkEachMedia([placed], projectId, { allowLocal: config.allowLocalWebhooks });
  return { ...inline, media: { ...media, ...factsOf(media) } };
}
