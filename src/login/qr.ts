import QRCode from 'qrcode';
import { Binary } from '../http/route';

export type QrFormat = 'svg' | 'png';

/** A picture has a few kilobytes, so the cache has a few megabytes at most. */
const MAX_PICTURES = 1_000;
/** Pictures of ended sessions, which hardly anyone asks for. */
const MIN_KEPT_MS = 60_000;

interface Kept {
  picture: Promise<Binary>;
  until: number;
}

export interface QrPictures {
  /** `keptMs`: how long the link is of use. */
  of(link: string, format: QrFormat, keptMs: number): Promise<Binary>;
}

/**
 * Renders each picture once: a PNG takes 100 ms of CPU, and every client that knows a page's token can ask for it. Requests at
 * the same time share one rendering. The oldest pictures go when the cache is full.
 */
export function createQrPictures(render = renderQr, now = () => Date.now()): QrPictures {
  const kept = new Map<string, Kept>();

  return {
    of(link, format, keptMs) {
      const key = `${format} ${link}`;
      const found = kept.get(key);
      if (found && found.until > now()) return found.picture;
      kept.delete(key);
      for (const oldest of kept.keys()) {
        if (kept.size < MAX_PICTURES) break;
        kept.delete(oldest);
      }
      const picture = render(link, format);
      kept.set(key, { picture, until: now() + Math.max(keptMs, MIN_KEPT_MS) });
      picture.catch(() => kept.delete(key));
      return picture;
    },
  };
}

/** A QR picture of a link. Medium correction: readable from a screen with glare, still coarse enough for old phones. */
async function renderQr(text: string, format: QrFormat): Promise<Binary> {
  const options = { errorCorrectionLevel: 'M', margin: 2 } as const;
  if (format === 'svg') {
    return new Binary('image/svg+xml', await QRCode.toString(text, { ...options, type: 'svg' }));
  }
  return new Binary('image/png', await QRCode.toBuffer(text, { ...options, width: 512 }));
}
