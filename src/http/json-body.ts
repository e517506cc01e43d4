import type { Context } from 'koa';
import getRawBody from 'raw-body';
import { AppError } from '../contract/errors';
import { KIB, limits, MIB } from '../contract/limits';
import { refuseUnstorable } from './storable-json';

/**
 * Reads a JSON body of limited size and refuses characters that cannot be stored. A missing body is an empty object, so
 * that routes with only optional fields can be called without one.
 */
export async function readJsonBody(ctx: Context, maxBytes: number): Promise<unknown> {
  const raw = await readJson(ctx, maxBytes);
  if (raw === null) return {};
  const text = decoded(raw);
  refuseUnstorable(text);
  return parsed(text);
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
  const text = decoded(raw, { ignoreBOM: true });
  if (text.includes('\0')) {
    throw new AppError('validation_failed', 'body: contains a character that is not allowed');
  }
  return text;
}

/** Reads a JSON body as it is; bytes that are not UTF-8 become U+FFFD. */
export async function readAnyJson(ctx: Context): Promise<unknown> {
  const raw = await readJson(ctx, limits.requestBodyBytes);
  return raw === null ? {} : parsed(new TextDecoder('utf-8').decode(raw));
}

async function readJson(ctx: Context, maxBytes: number): Promise<Buffer | null> {
  const raw = await readBody(ctx, maxBytes);
  if (raw !== null && !ctx.is('json', '+json')) throw new AppError('unsupported_media_type');
  return raw;
}

function decoded(raw: Buffer, options: { ignoreBOM?: boolean } = {}): string {
  try {
    return new TextDecoder('utf-8', { ...options, fatal: true }).decode(raw);
  } catch {
    throw new AppError('validation_failed', 'body: is not valid UTF-8');
  }
}

/** Null if there is none. */
export async function readBody(ctx: Context, maxBytes: number): Promise<Buffer | null> {
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
  const size = maxBytes < MIB ? `${maxBytes / KIB} KiB` : `${maxBytes / MIB} MiB`;
  return new AppError('payload_too_large', `The request body is larger than ${size}.`);
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
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
