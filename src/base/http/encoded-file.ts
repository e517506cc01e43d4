import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Context } from 'koa';

const encoders = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body: Buffer) => promisify(gzip)(body),
};
type Encoding = keyof typeof encoders;

/** Nearly as small as the best one, at a tenth of its time. */
const BROTLI_QUALITY = 9;
/** Below this a response fits into one packet in any case. */
const SHORTEST_BYTES = 1024;
/** More than there are files; builds during development leave old ones behind. */
const MOST_KEPT = 100;

const kept = new Map<string, Promise<Buffer>>();

/** The file as the client wants it: compressed once, and kept. */
export async function encoded(
  ctx: Context,
  { body, etag }: { body: Buffer; etag: string },
): Promise<{ body: Buffer; encoding: Encoding | null }> {
  ctx.vary('Accept-Encoding');
  const encoding = body.length < SHORTEST_BYTES ? false : ctx.acceptsEncodings('br', 'gzip', 'identity');
  if (encoding !== 'br' && encoding !== 'gzip') return { body, encoding: null };
  const key = `${encoding} ${etag}`;
  if (kept.size > MOST_KEPT) kept.clear();
  const made = kept.get(key) ?? encoders[encoding](body);
  kept.set(key, made);
  return { body: await made, encoding };
}
