import { randomBytes } from 'node:crypto';
import { request } from 'undici';
import type { Media } from './chats';
import { UploadedFile } from './multipart';
import { badRequest, TelegramError } from './telegram-shapes';

const MB = 1024 * 1024;
const BY_URL: Record<Media['type'], number> = { photo: 5 * MB, video: 20 * MB, document: 20 * MB };
const PHOTO_UPLOAD = 10 * MB;
const UPLOAD = 50 * MB;
const HEAD_MS = 2_000;

/** Files that the bot may send again by their file_id, with Telegram's limits for each way to send one. */
export class TelegramFiles {
  private readonly byId = new Map<string, Media>();
  private readonly byUrl = new Map<string, Media>();

  /** The file of a parameter: uploaded with the request, by file_id, or by URL. */
  async read(type: Media['type'], value: unknown): Promise<Media> {
    if (value instanceof UploadedFile) return this.upload(type, value);
    if (typeof value !== 'string' || value === '') throw badRequest(`there is no ${type} in the request`);
    const known = this.byId.get(value);
    if (known) {
      if (known.type !== type) throw badRequest(`can't use file of type ${known.type} as ${type}`);
      return known;
    }
    if (!/^https?:\/\//.test(value) || !URL.canParse(value)) {
      throw badRequest('wrong file identifier/HTTP URL specified');
    }
    return this.fetch(type, value);
  }

  private upload(type: Media['type'], { bytes }: UploadedFile): Media {
    if (bytes > UPLOAD) throw new TelegramError(413, 'Request Entity Too Large');
    if (type === 'photo' && bytes > PHOTO_UPLOAD) {
      throw badRequest(
        `file of size ${bytes} bytes is too big for a photo; the maximum size is ${PHOTO_UPLOAD} bytes`,
      );
    }
    return this.keep({ type, url: '' });
  }

  private async fetch(type: Media['type'], url: string): Promise<Media> {
    const bytes = await statedLength(url);
    if (bytes !== null && bytes > BY_URL[type]) throw badRequest('failed to get HTTP URL content');
    const name = `${type} ${url}`;
    const media = this.byUrl.get(name) ?? this.keep({ type, url });
    this.byUrl.set(name, media);
    return media;
  }

  private keep(file: Omit<Media, 'id'>): Media {
    const media = { ...file, id: `file-${randomBytes(12).toString('hex')}` };
    this.byId.set(media.id, media);
    return media;
  }
}

/** Telegram downloads the file; the simulator only asks for its size, and accepts a file that it cannot reach. */
async function statedLength(url: string): Promise<number | null> {
  try {
    const { headers, body } = await request(url, { method: 'HEAD', signal: AbortSignal.timeout(HEAD_MS) });
    await body.dump();
    const length = Number(headers['content-length'] ?? NaN);
    return Number.isSafeInteger(length) ? length : null;
  } catch {
    return null;
  }
}
