import type { Dispatcher } from 'undici';
import { limits, MIB } from '../../../base/contract/limits';
import {
  ForbiddenAddressError,
  type LocalPolicy,
  LookupError,
  vetUrl,
} from '../../../base/outbound/addresses';
import { lengthOf, withVettedResponse } from '../../../base/outbound/request';
import type { MediaType, OutgoingMedia } from '../messenger';
import { PlatformError } from '../platform-error';

/** A project's media file, read as it is sent on: a process never holds a whole file. */
export interface MediaSource {
  chunks: AsyncIterable<Buffer>;
  /** Null if the server does not state a length. */
  bytes: number | null;
  /** For the recipient of a document. */
  name: string;
}

/** The media itself cannot be had, so that no recipient can get it. */
export class MediaSourceError extends PlatformError {}

export const mediaBytes: Record<MediaType, number> = {
  photo: limits.photoBytes,
  video: limits.videoOrDocumentBytes,
  document: limits.videoOrDocumentBytes,
};

/** Opens a media file for `use`. The project chose the URL, so it is vetted like a webhook URL. */
export async function withMediaSource<T>(
  { type, url }: OutgoingMedia,
  policy: LocalPolicy,
  signal: AbortSignal,
  use: (source: MediaSource) => Promise<T>,
): Promise<T> {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw refused(`the media URL ${vetted.why}`);
  let failure: MediaSourceError | null = null;
  let isOpen = false;

  async function* limited(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let size = 0;
    try {
      for await (const chunk of body) {
        size += chunk.length;
        if (size > mediaBytes[type]) throw tooLarge(type);
        yield chunk;
      }
    } catch (error) {
      // The upload that reads from here fails with an error of its own; this is the cause.
      failure = sourceError(error);
      throw failure;
    }
  }

  try {
    const request = { method: 'GET', allowLocal: policy.allowLocal, signal } as const;
    return await withVettedResponse(vetted.url, request, (response) => {
      const bytes = checkedLength(response, type);
      isOpen = true;
      return use({ chunks: limited(response.body), bytes, name: nameOf(vetted.url, type) });
    });
  } catch (error) {
    throw failure ?? (isOpen ? error : sourceError(error));
  }
}

function checkedLength(response: Dispatcher.ResponseData, type: MediaType): number | null {
  if (response.statusCode !== 200) throw refused(`the media URL returned ${response.statusCode}`);
  const bytes = lengthOf(response);
  if (bytes !== null && bytes > mediaBytes[type]) throw tooLarge(type);
  return bytes;
}

function sourceError(error: unknown): MediaSourceError {
  if (error instanceof MediaSourceError) return error;
  if (error instanceof ForbiddenAddressError || error instanceof LookupError) {
    return refused(`the media URL ${error.message}`);
  }
  return new MediaSourceError('platform_unavailable', 'the media URL did not respond');
}

function refused(why: string): MediaSourceError {
  return new MediaSourceError('invalid_message', why);
}

function tooLarge(type: MediaType): MediaSourceError {
  return refused(`a ${type} can have up to ${mediaBytes[type] / MIB} MB`);
}

const extensions: Record<MediaType, string> = { photo: '.jpg', video: '.mp4', document: '' };
const NAME_LENGTH = 100;

/** The last segment of the URL, without characters that could end the header it is written into. */
function nameOf(url: URL, type: MediaType): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  const name = decoded(last)
    .replaceAll(/[\p{Cc}"\\/]/gu, '_')
    .slice(-NAME_LENGTH);
  if (name === '') return `${type}${extensions[type]}`;
  return name.includes('.') ? name : name + extensions[type];
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
