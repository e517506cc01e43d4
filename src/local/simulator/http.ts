import type { IncomingMessage, ServerResponse } from 'node:http';
import { BodyError } from './body-error';
import { readMultipart } from './multipart';

export { BodyError } from './body-error';

/** A request and its response. */
export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  method: string;
  url: URL;
  path: string;
  /** Aborted when the client disconnects or the simulator stops. */
  signal: AbortSignal;
}

export type Handler = (exchange: Exchange) => Promise<boolean>;

/** Of everything but forms, whose files are not kept. */
const BODY_LIMIT = 64 * 1024 * 1024;

async function readBody(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT) throw new BodyError('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Reads a JSON object; an empty body is an empty object. */
export async function readJson(req: IncomingMessage): Promise<Record<string, unknown>> {
  const text = (await readBody(req)).toString('utf8');
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BodyError('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BodyError('the body must be a JSON object');
  }
  return value as Record<string, unknown>;
}

/** Telegram accepts parameters in the query and in JSON, urlencoded and multipart bodies. */
export async function readAnyParams({ req, url }: Exchange): Promise<Record<string, unknown>> {
  const query = Object.fromEntries(url.searchParams);
  const type = req.headers['content-type'] ?? '';
  if (type.startsWith('application/json')) return { ...query, ...(await readJson(req)) };
  if (type.startsWith('multipart/form-data')) return { ...query, ...(await readMultipart(req, type)) };
  const body = await readBody(req);
  if (body.length === 0) return query;
  return { ...query, ...Object.fromEntries(new URLSearchParams(body.toString('utf8'))) };
}

/** A file that a user has sent; 404 for none. */
export function sendFile({ res }: Exchange, file: { content: Buffer } | undefined): void {
  if (!file) {
    res.writeHead(404).end();
    return;
  }
  res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.content.length });
  res.end(file.content);
}

export function sendJson(
  { res }: Exchange,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  if (res.headersSent || res.destroyed) return;
  const payload = JSON.stringify(body);
  res.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(payload),
    ...headers,
  });
  res.end(payload);
}
