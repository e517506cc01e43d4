import type { IncomingMessage } from 'node:http';
import { BodyError } from './body-error';

/** A file of a form. Its content is counted and discarded, so that large uploads need no memory. */
export class UploadedFile {
  constructor(
    readonly name: string,
    readonly bytes: number,
  ) {}
}

interface Part {
  name: string;
  file: string | null;
  kept: Buffer[];
  bytes: number;
}

const MAX_HEADERS = 16 * 1024;
const MAX_FIELD = 1024 * 1024;

/** Reads a multipart form as it arrives. */
export async function readMultipart(
  req: IncomingMessage,
  contentType: string,
): Promise<Record<string, string | UploadedFile>> {
  const boundary = /boundary="?([^";]+)"?/i.exec(contentType)?.[1];
  if (boundary === undefined) throw new BodyError('the form has no boundary');
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const form: Record<string, string | UploadedFile> = {};
  let part: Part | null = null;
  let state = 'content' as 'content' | 'delimiter' | 'headers' | 'end';
  // The first delimiter has no line break before it.
  let rest: Buffer = Buffer.from('\r\n');

  function take(content: Buffer): void {
    if (!part) return;
    part.bytes += content.length;
    if (part.file !== null) return;
    if (part.bytes > MAX_FIELD) throw new BodyError('a field is too large');
    part.kept.push(Buffer.from(content));
  }

  /** Returns false if it needs more bytes. */
  function step(): boolean {
    if (state === 'content') {
      const at = rest.indexOf(delimiter);
      // The end of what has arrived may be the beginning of a delimiter.
      const length = at < 0 ? Math.max(rest.length - delimiter.length + 1, 0) : at;
      take(rest.subarray(0, length));
      rest = rest.subarray(at < 0 ? length : at + delimiter.length);
      if (at < 0) return false;
      if (part) form[part.name] = valueOf(part);
      state = 'delimiter';
      return true;
    }
    if (state === 'delimiter') {
      if (rest.length < 2) return false;
      state = rest.toString('latin1', 0, 2) === '--' ? 'end' : 'headers';
      rest = rest.subarray(2);
      return true;
    }
    if (state === 'end') return false;
    const at = rest.indexOf('\r\n\r\n');
    if (at < 0 && rest.length > MAX_HEADERS) throw new BodyError('the headers of a part are too large');
    if (at < 0) return false;
    part = partOf(rest.toString('utf8', 0, at));
    rest = rest.subarray(at + 4);
    state = 'content';
    return true;
  }

  for await (const chunk of req as AsyncIterable<Buffer>) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    while (step());
    if (state === 'end') rest = Buffer.alloc(0);
  }
  if (state !== 'end') throw new BodyError('the form is incomplete');
  return form;
}

function partOf(headers: string): Part {
  const name = /\bname="([^"]*)"/i.exec(headers)?.[1] ?? '';
  const file = /\bfilename="([^"]*)"/i.exec(headers)?.[1] ?? null;
  return { name, file, kept: [], bytes: 0 };
}

function valueOf({ file, kept, bytes }: Part): string | UploadedFile {
  return file === null ? Buffer.concat(kept).toString('utf8') : new UploadedFile(file, bytes);
}
