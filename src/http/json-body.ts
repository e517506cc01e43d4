import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { AppError } from '../contract/errors';
import { limits, MIB } from '../contract/limits';
import { refuseUnstorable } from './validate';

/**
 * Reads a JSON body of limited size and refuses characters that cannot be stored. A missing body is an empty object, so
 * that routes with only optional fields can be called without one.
 */
export async function readJsonBody(ctx: Context): Promise<unknown> {
  const body = await readAnyJson(ctx, { fatal: true });
  refuseUnstorable(body);
  return body;
}

/** Reads a body of text. A missing body is an empty text. */
export async function readTextBody(
  ctx: Context,
  { type, maxBytes }: { type: string; maxBytes: number },
): Promise<string> {
  const raw = await readBody(ctx, maxBytes);
  if (raw === null) return '';
  if (!ctx.is(type)) {
    throw new AppError('unsupported_media_type', `The body must be sent as ${type}.`);
  }
  const text = decoded(raw);
  refuseUnstorable(text);
  return text;
}

function decoded(raw: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(raw);
  } catch {
    throw new AppError('validation_failed', 'body: is not valid UTF-8');
  }
}

/** Reads a JSON body as it is; unless `fatal`, bytes that are not UTF-8 become U+FFFD. */
export async function readAnyJson(ctx: Context, { fatal }: { fatal: boolean }): Promise<unknown> {
  const raw = await readBody(ctx, limits.requestBodyBytes);
  if (raw === null) return {};
  if (!ctx.is('json', '+json')) throw new AppError('unsupported_media_type');
  return parseJson(raw, fatal);
}

/** Null if there is none. */
async function readBody(ctx: Context, maxBytes: number): Promise<Buffer | null> {
  const declared = Number(ctx.get('content-length') || 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (declared === 0 && !ctx.get('transfer-encoding')) return null;
  const encoding = ctx.get('content-encoding');
  if (encoding && encoding !== 'identity') {
    throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  }
  const raw = await readRaw(ctx, maxBytes);
  return raw.length === 0 ? null : raw;
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('payload_too_large', `The request body is larger than ${maxBytes / MIB} MiB.`);
}

function parseJson(raw: Buffer, fatal: boolean): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal }).decode(raw)) as unknown;
  } catch {
    throw new AppError('validation_failed', 'body: is not valid JSON');
  }
}

async function readRaw(ctx: Context, maxBytes: number): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { limit: maxBytes });
  } catch (error) {
    // Drain the rest of the body, or the client would never read the response. The server's request timeout bounds
    // this.
    ctx.req.resume();
    const type = (error as { type?: string }).type;
    if (type === 'entity.too.large') throw tooLarge(maxBytes);
    // The client disconnected or sent fewer bytes than declared.
    throw new AppError('validation_failed', 'body: is incomplete', { cause: error });
  }
}
