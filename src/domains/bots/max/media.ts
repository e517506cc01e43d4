import type { Api } from '@maxhub/max-bot-api';
import type { AttachmentRequest } from '@maxhub/max-bot-api/types';
import { postFile, type UploadResponse } from '../media/multipart';
import type { MediaSource } from '../media/source';
import type { MediaReference } from '../media/uploads';
import type { MediaType, OutgoingMedia } from '../messenger';
import { PlatformError } from '../platform-error';
import { secondsToMs } from './fetch';

/** MAX's name of each type. */
const types = { photo: 'image', video: 'video', document: 'file' } as const;

/** MAX fetches photos itself; a video or a document must be uploaded first. */
export function fetchesMedia({ type }: Pick<OutgoingMedia, 'type'>): boolean {
  return type === 'photo';
}

export function photoByUrl({ url }: OutgoingMedia): AttachmentRequest {
  return { type: 'image', payload: { url } };
}

export function attachmentOf({ id, type }: MediaReference): AttachmentRequest {
  return { type: types[type], payload: { token: id } };
}

/** The token of a video comes with the upload URL, that of a document after the upload. */
export async function uploadToMax(
  api: Api,
  type: MediaType,
  source: MediaSource,
  signal: AbortSignal,
): Promise<MediaReference> {
  const { url, token } = await api.raw.uploads.getUploadUrl({ type: types[type] });
  const response = await postFile({ url, fields: {}, field: 'data', source, signal });
  if (response.status >= 400) throw uploadError(response);
  const id = token ?? tokenIn(response.text);
  if (id === undefined) throw new PlatformError('platform_unavailable', 'The upload returned no token.');
  return { id, type };
}

function tokenIn(text: string): string | undefined {
  try {
    const { token } = JSON.parse(text) as { token?: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

function uploadError({ status, retryAfter, text }: UploadResponse): PlatformError {
  if (status === 429) {
    return new PlatformError('rate_limited', text, { status, retryAfterMs: secondsToMs(retryAfter) });
  }
  return new PlatformError(status >= 500 ? 'platform_unavailable' : 'invalid_message', text, { status });
}

/** MAX documents no code for a token that it no longer accepts. */
export function isRefusedToken(error: unknown): boolean {
  return (
    error instanceof PlatformError &&
    error.status === 400 &&
    /attachment|token|upload/i.test(error.platformText)
  );
}
