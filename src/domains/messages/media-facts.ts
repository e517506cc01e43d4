import { createHash, randomUUID } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { mediaBytes } from '../bots';
import { AppError } from '../../base/contract/errors';
import { MIB } from '../../base/contract/limits';
import { withTimeout } from '../../base/lib/timeout';
import { ForbiddenAddressError, type LocalPolicy, vetUrl } from '../../base/outbound/addresses';
import { lengthOf, withVettedResponse } from '../../base/outbound/request';
import { type GivenContent, isTemplated, type MessageMedia } from '../../base/contract/content';
import type { MediaFacts } from './contract';

const HEAD_TIMEOUT_MS = 3_000;

/** Media, and the field of the request that gives it, for errors. */
export interface PlacedMedia extends MessageMedia {
  field: string;
}

/** `path`: the place of the content in the request, with its dot. */
export function mediaField(content: GivenContent, path = ''): string {
  return isTemplated(content) ? `${path}template.media.url` : `${path}media.url`;
}

/** What the media's server states about the file. */
interface Stated {
  bytes: number | null;
  /** Changes with the content. */
  version: string | null;
}

const NOTHING: Stated = { bytes: null, version: null };

/**
 * Asks for the size and version of a message's media, once for all its recipients. Refuses media whose server states a
 * length above the limit, before anything is sent. If the server states none, the length is checked while the file is
 * uploaded.
 */
async function checkMedia(media: PlacedMedia, projectId: string, policy: LocalPolicy): Promise<MediaFacts> {
  const { type, field } = media;
  const stated = await statedBy(vettedUrl(media, policy), field, policy);
  if (stated.bytes !== null && stated.bytes > mediaBytes[type]) {
    throw new AppError(
      'validation_failed',
      `${field}: a ${type} can have up to ${mediaBytes[type] / MIB} MB`,
    );
  }
  return { bytes: stated.bytes, key: keyOf(media, projectId, stated) };
}

/** Bounds how many servers one request asks. */
const MAX_ASKED = 8;

export type FactsOf = (media: MessageMedia) => MediaFacts;

/**
 * As `checkMedia`, for the media of several messages. Where there are too many to ask for, their lengths are checked
 * while they are uploaded.
 */
export async function checkEachMedia(
  given: PlacedMedia[],
  projectId: string,
  policy: LocalPolicy,
): Promise<FactsOf> {
  const idOf = ({ type, url }: MessageMedia) => `${type} ${url}`;
  const distinct = new Map<string, PlacedMedia>();
  // If several messages have the same media, the error names the first.
  for (const media of given) {
    if (!distinct.has(idOf(media))) distinct.set(idOf(media), media);
  }
  const facts = new Map<string, MediaFacts>();
  await Promise.all(
    [...distinct].map(async ([id, media]) => {
      facts.set(
        id,
        distinct.size <= MAX_ASKED ? await checkMedia(media, projectId, policy) : unasked(media, policy),
      );
    }),
  );
  return (media) => facts.get(idOf(media)) ?? { bytes: null, key: randomUUID() };
}

function unasked(media: PlacedMedia, policy: LocalPolicy): MediaFacts {
  vettedUrl(media, policy);
  return { bytes: null, key: randomUUID() };
}

function vettedUrl({ url, field }: PlacedMedia, policy: LocalPolicy): URL {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw new AppError('invalid_url', `${field}: ${vetted.why}`);
  return vetted.url;
}

/**
 * Media is uploaded once for each key. Without a version it is not known whether the content behind a URL has changed,
 * so such media is uploaded once for each request. Projects share no uploads.
 */
function keyOf({ type, url }: MessageMedia, projectId: string, { bytes, version }: Stated): string {
  if (version === null) return randomUUID();
  return createHash('sha256')
    .update(JSON.stringify([projectId, type, url, version, bytes]))
    .digest('base64url');
}

/** Nothing is stated if the server does not respond in time. */
async function statedBy(url: URL, field: string, { allowLocal }: LocalPolicy): Promise<Stated> {
  const request = { method: 'HEAD', allowLocal, signal: AbortSignal.timeout(HEAD_TIMEOUT_MS) } as const;
  try {
    return await withTimeout(
      withVettedResponse(url, request, async (response) => {
        await response.body.dump();
        return response.statusCode === 200 ? statedIn(response) : NOTHING;
      }),
      HEAD_TIMEOUT_MS,
    );
  } catch (error) {
    if (!(error instanceof ForbiddenAddressError)) return NOTHING;
    throw new AppError('invalid_url', `${field}: ${error.message}`);
  }
}

function statedIn(response: Dispatcher.ResponseData): Stated {
  const { etag, 'last-modified': modified } = response.headers;
  const version = etag ?? modified;
  return { bytes: lengthOf(response), version: typeof version === 'string' ? version : null };
}
