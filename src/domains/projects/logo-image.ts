export const logoTypes = ['image/png', 'image/jpeg', 'image/webp'] as const;

export interface LogoImage {
  type: (typeof logoTypes)[number];
  width: number;
  height: number;
}

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');

/** Recognises PNG, JPEG and WebP by their bytes and reads the size; null for anything else, SVG included. */
export function readImage(data: Buffer): LogoImage | null {
  if (data.length >= 24 && data.subarray(0, PNG.length).equals(PNG)) {
    return { type: 'image/png', width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  }
  if (data.length >= 4 && data.readUInt16BE(0) === 0xffd8) {
    const size = jpegSize(data);
    return size && { type: 'image/jpeg', ...size };
  }
  const isWebp =
    data.length >= 30 &&
    data.toString('latin1', 0, 4) === 'RIFF' &&
    data.toString('latin1', 8, 12) === 'WEBP';
  const size = isWebp ? webpSize(data) : null;
  return size && { type: 'image/webp', ...size };
}

/** The size is in the frame header, the first of the segments SOF0 to SOF15. */
function jpegSize(data: Buffer): { width: number; height: number } | null {
  let at = 2;
  while (at + 9 <= data.length && data[at] === 0xff) {
    const marker = data.readUInt8(at + 1);
    // A marker may be preceded by any number of fill bytes.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    // Markers that have no length, and the image's data: a file with one before its frame is not read as browsers read it.
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xda)) return null;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
    at += 2 + data.readUInt16BE(at + 2);
  }
  return null;
}

/** The first chunk says which of the three forms the file has: extended, lossless or lossy. */
function webpSize(data: Buffer): { width: number; height: number } | null {
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = data.readUInt32LE(21);
      if (data[20] !== 0x2f) return null;
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ': {
      if (data.readUIntBE(23, 3) !== 0x9d012a) return null;
      return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    }
    default:
      return null;
  }
}
