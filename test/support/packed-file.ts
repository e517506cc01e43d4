import { readFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

/** A large file that people do not read is kept compressed; its name ends in `.br`. */
export function packed(content: Buffer | string): Buffer {
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN } = constants;
  return brotliCompressSync(content, { params: { [BROTLI_PARAM_QUALITY]: 9, [BROTLI_PARAM_LGWIN]: 24 } });
}

export function readPacked(file: string): Buffer {
  return brotliDecompressSync(readFileSync(file));
}
