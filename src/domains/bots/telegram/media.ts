import { TelegramError } from 'telegraf';
import { postFile } from '../media/multipart';
import type { MediaSource } from '../media/source';
import type { MediaReference, Uploaded } from '../media/uploads';
import type { MediaType, OutgoingMedia } from '../messenger';
import { PlatformError } from '../platform-error';

export const mediaMethods = { photo: 'sendPhoto', video: 'sendVideo', document: 'sendDocument' } as const;

const MB = 1_000_000;
const byUrlBytes = { photo: 5 * MB, video: 20 * MB, document: 20 * MB };

/** Telegram fetches media up to a size. */
export function fetchesMedia({ type, bytes }: Pick<OutgoingMedia, 'type' | 'bytes'>): boolean {
  return bytes === undefined || (bytes !== null && bytes <= byUrlBytes[type]);
}

/** Telegram takes photos only up to this size; a larger one goes as a document. */
const PHOTO_UPLOAD_BYTES = 10_000_000;

export interface SentMessage {
  message_id: number;
  photo?: { file_id: string }[];
  video?: { file_id: string };
  document?: { file_id: string };
}

interface UploadRequest {
  /** Up to the method, with the token. */
  methodRoot: string;
  type: MediaType;
  payload: Record<string, unknown>;
}

/** Sends a message whose media is uploaded with it: Telegram returns a file_id only for a message. */
export async function uploadToTelegram(
  { methodRoot, type, payload }: UploadRequest,
  source: MediaSource,
  signal: AbortSignal,
): Promise<Uploaded<SentMessage>> {
  const { as, ready } = type === 'photo' ? await photoOrDocument(source) : { as: type, ready: source };
  const { status, text } = await postFile({
    url: methodRoot + mediaMethods[as],
    fields: Object.fromEntries(Object.entries(payload).map(([name, value]) => [name, formValue(value)])),
    field: as,
    source: ready,
    signal,
  });
  const message = resultOf(status, text);
  return { sent: message, reference: referenceIn(message) };
}

function formValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function resultOf(status: number, text: string): SentMessage {
  const { ok, result, ...error } = (parseJson(text) ?? {}) as {
    ok?: boolean;
    result?: SentMessage;
    error_code?: number;
    description?: string;
    parameters?: { retry_after?: number };
  };
  if (ok && result) return result;
  throw new TelegramError({
    error_code: error.error_code ?? status,
    description: error.description ?? `the upload returned ${status}`,
    ...(error.parameters && { parameters: error.parameters as never }),
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Telegram decides what a file is, and sends a file_id only as that. */
function referenceIn({ photo, video, document }: SentMessage): MediaReference | null {
  const largest = photo?.at(-1);
  if (largest) return { id: largest.file_id, type: 'photo' };
  if (video) return { id: video.file_id, type: 'video' };
  return document ? { id: document.file_id, type: 'document' } : null;
}

async function photoOrDocument(source: MediaSource): Promise<{ as: MediaType; ready: MediaSource }> {
  if (source.bytes !== null) {
    return { as: source.bytes <= PHOTO_UPLOAD_BYTES ? 'photo' : 'document', ready: source };
  }
  // The server does not state the size: hold back as much as a photo may have to learn it.
  const rest = source.chunks[Symbol.asyncIterator]();
  const held: Buffer[] = [];
  let size = 0;
  let isWhole = false;
  while (size <= PHOTO_UPLOAD_BYTES && !isWhole) {
    const next = await rest.next();
    isWhole = next.done === true;
    if (next.done) break;
    held.push(next.value);
    size += next.value.length;
  }
  async function* chunks() {
    yield* held;
    if (!isWhole) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return {
    as: size <= PHOTO_UPLOAD_BYTES ? 'photo' : 'document',
    ready: { ...source, bytes: isWhole ? size : null, chunks: chunks() },
  };
}

const REFUSED_REFERENCE = /wrong (remote )?file.?id|file.?reference|invalid file.?id|wrong file identifier/i;

export function isRefusedFileId(error: unknown): boolean {
  return error instanceof PlatformError && error.status === 400 && REFUSED_REFERENCE.test(error.platformText);
}
