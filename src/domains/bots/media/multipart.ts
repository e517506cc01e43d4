import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { request } from 'undici';
import type { MediaSource } from './source';

interface FileUpload {
  url: string;
  fields: Record<string, string>;
  /** The name of the form field that carries the file. */
  field: string;
  source: MediaSource;
  signal: AbortSignal;
}

export interface UploadResponse {
  status: number;
  retryAfter: string | null;
  text: string;
}

/**
 * Posts a form with a file that is read as fast as the platform takes it. The clients of the platforms cannot: telegraf
 * reads its source without back pressure, and the MAX client streams files from disk only.
 */
export async function postFile({ url, fields, field, source, signal }: FileUpload): Promise<UploadResponse> {
  const boundary = randomUUID();
  const head = Buffer.from(
    Object.entries(fields)
      .map(
        ([name, value]) =>
          `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      )
      .join('') +
      `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${source.name}"\r\n` +
      'content-type: application/octet-stream\r\n\r\n',
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body() {
    yield head;
    yield* source.chunks;
    yield tail;
  }
  const response = await request(url, {
    method: 'POST',
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      ...(source.bytes !== null && { 'content-length': String(head.length + source.bytes + tail.length) }),
    },
    body: Readable.from(body(), { objectMode: false }),
    signal,
  });
  const { 'retry-after': retryAfter } = response.headers;
  return {
    status: response.statusCode,
    retryAfter: typeof retryAfter === 'string' ? retryAfter : null,
    text: await response.body.text(),
  };
}
