import QRCode from 'qrcode';
import { Binary } from '../http/route';

/** A QR picture of a link. Medium correction: readable from a screen with glare, still coarse enough for old phones. */
export async function qrPicture(text: string, format: 'svg' | 'png'): Promise<Binary> {
  const options = { errorCorrectionLevel: 'M', margin: 2 } as const;
  if (format === 'svg') {
    return new Binary('image/svg+xml', await QRCode.toString(text, { ...options, type: 'svg' }));
  }
  return new Binary('image/png', await QRCode.toBuffer(text, { ...options, width: 512 }));
}
