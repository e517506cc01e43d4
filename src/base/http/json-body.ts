import { createHash } from 'node:crypto';
import type { Context } from 'koa';
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

/** Reads a short body of text. A missing body is an empty text. */
export async function readShortText(
  ctx: Context,
  bounds: { type: string; maxBytes: number },
): Promise<string> {
  const parts: string[] = [];
  const reader = () => ({
    read: (part: string) => Promise.resolve(void parts.push(part)),
    end: () => Promise.resolve(parts.join('')),
  });
  return (await readTextBody(ctx, { ...bounds, reader })).value;
}

/** Takes a text as it arrives, and refuses it as soon as it can. */
export interface TextReader<T> {
  read(part: string): Promise<void>;
  end(): Promise<T>;
}

/**
 * Gives a body of text to its reader, part by part: what the reader refuses is not read to its end. A missing body is an empty
 * text. `digest` identifies the text.
 */
export async function readTextBody<T>(
  ctx: Context,
  { type, maxBytes, reader: createReader }: { type: string; maxBytes: number; reader: () => TextReader<T> },
): Promise<{ value: T; digest: string }> {
  const reader = createReader();
  const hash = createHash('sha256');
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: true });
  if (hasBody(ctx, maxBytes)) {
    if (!ctx.is(type)) {
      ctx.req.resume();
      throw new AppError('unsupported_media_type', `The body must be sent as ${type}.`);
    }
    for await (const bytes of bytesOf(ctx, maxBytes)) {
      hash.update(bytes);
      await reader.read(storableText(decoder, bytes));
    }
    await reader.read(storableText(decoder));
  }
  return { value: await reader.end(), digest: hash.digest('hex') };
}

/** Reads a file of one of these types. A missing body is an empty file. */
export async function readFileBody(
  ctx: Context,
  { types, maxBytes }: { types: readonly string[]; maxBytes: number },
): Promise<Buffer> {
  const raw = await readBody(ctx, maxBytes);
  if (raw !== null && !ctx.is([...types])) {
    throw new AppError('unsupported_media_type', `The body must be sent as ${listed(types)}.`);
  }
  return raw ?? Buffer.alloc(0);
}

function listed(types: readonly string[]): string {
  return `${types.slice(0, -1).join(', ')} or ${types.at(-1)}`;
}

/** Without more bytes: the end of the text. */
function storableText(decoder: InstanceType<typeof TextDecoder>, bytes?: Buffer): string {
  let text: string;
  try {
    text = decoder.decode(bytes, { stream: bytes !== undefined });
  } catch {
    throw new AppError('validation_failed', 'body: is not valid UTF-8');
  }
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

function decoded(raw: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(raw);
  } catch {
    throw new AppError('validation_failed', 'body: is not valid UTF-8');
  }
}

/** Null if there is none. */
export async function readBody(ctx: Context, maxBytes: number): Promise<Buffer | null> {
  if (!hasBody(ctx, maxBytes)) return null;
  const parts: Buffer[] = [];
  for await (const bytes of bytesOf(ctx, maxBytes)) parts.push(bytes);
  return parts.length === 0 ? null : Buffer.concat(parts);
}

/** By its headers. Refuses one that is not worth reading. */
function hasBody(ctx: Context, maxBytes: number): boolean {
  const declared = Number(ctx.get('content-length') || 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  if (declared === 0 && !ctx.get('transfer-encoding')) return false;
  const encoding = ctx.get('content-encoding');
  if (encoding && encoding !== 'identity') {
    throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  }
  return true;
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

/** Drains the rest of a refused body: otherwise the client would never read the response. Bounded by the request timeout. */
async function* bytesOf(ctx: Context, maxBytes: number): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const bytes of ctx.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += bytes.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      yield bytes;
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    // The client disconnected or sent fewer bytes than declared.
    throw new AppError('validation_failed', 'body: is incomplete', { cause: error });
  } finally {
    ctx.req.resume();
  }
}
