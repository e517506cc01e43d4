import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { limits } from '../../base/contract/limits';

const { webhookResponseBytes: storedBodyBytes, webhookResponseReadBytes: readBodyBytes } = limits;

const keptHeaders = [
  'content-type',
  'content-length',
  'date',
  'location',
  'retry-after',
  'server',
  'x-request-id',
];
const maxHeaderLength = 500;

const maxRetryAfterMs = 366 * 24 * 3_600_000;

/** Reads a body to its end, or to the bound, and returns its beginning as text that the database can hold. */
export async function captureBody(body: Readable): Promise<string> {
  const kept: Buffer[] = [];
  let keptBytes = 0;
  let readBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    readBytes += chunk.length;
    if (keptBytes < storedBodyBytes) {
      // Copied, because a slice would keep the whole socket buffer alive.
      const part = Buffer.from(chunk.subarray(0, storedBodyBytes - keptBytes));
      kept.push(part);
      keptBytes += part.length;
    }
    // Leaving the loop destroys the stream, and the connection with it.
    if (readBytes > readBodyBytes) break;
  }
  return storableText(Buffer.concat(kept), readBytes > keptBytes);
}

const newDecoder = () => new TextDecoder('utf-8', { ignoreBOM: true });
const wholeText = newDecoder();

function storableText(bytes: Buffer, isCut: boolean): string {
  // Decoded as a stream, so that a character cut in two at the end is left out.
  return withoutNul(isCut ? newDecoder().decode(bytes, { stream: true }) : wholeText.decode(bytes));
}

/** PostgreSQL's text type cannot hold NUL. */
function withoutNul(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** The few headers that help to understand a response, each cut to a sane length. */
export function keepHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of keptHeaders) {
    const value = headers[name];
    if (value === undefined) continue;
    kept[name] = withoutNul(String(value).slice(0, maxHeaderLength));
  }
  return kept;
}

const httpDate =
  /^(\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT|\w{6,9}, \d{2}-\w{3}-\d{2} [\d:]{8} GMT|\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})$/;

/** Retry-After as a wait from now: seconds or one of HTTP's three date forms; anything else says nothing. */
export function parseRetryAfter(value: string | undefined, nowMs: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, maxRetryAfterMs);
  if (!httpDate.test(text)) return null;
  // The oldest form names no zone; HTTP says it is GMT.
  const wait = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) - nowMs;
  return wait >= 0 ? Math.min(wait, maxRetryAfterMs) : null;
}
