import type { Readable } from 'node:stream';
import { Agent, type Dispatcher } from 'undici';
import { createVettedConnector } from '../../../base/outbound/dial';
import { lengthOf } from '../../../base/outbound/request';
import { vetUrl } from '../../../base/outbound/addresses';
import { noResponse, PlatformError } from '../platform-error';

/** A file of a user, read from the messenger as it is sent on: a process never holds a whole file. */
export interface OpenedFile {
  stream: Readable;
  /** Null if the messenger does not state a length. */
  bytes: number | null;
}

/** The messenger has the file no more, or does not hand it out. */
export class FileGoneError extends Error {
  override readonly name = 'FileGoneError';
}

const CONNECT_TIMEOUT_MS = 10_000;
/** Until the messenger answers, and between two parts of the file. */
const STALL_MS = 30_000;

/** Opens a file at an address of the messenger's API, which the operator has set. */
export function openOfPlatform(url: URL, signal: AbortSignal): Promise<OpenedFile> {
  return open(url, new Agent({ connections: 1, connect: { timeout: CONNECT_TIMEOUT_MS } }), signal);
}

/** Opens a file at an address that an update has named: it must be public. */
export function openOfUpdate(address: string, signal: AbortSignal): Promise<OpenedFile> {
  const vetted = vetUrl(address, { allowLocal: false });
  if (!vetted.ok) throw new FileGoneError(`the address ${vetted.why}`);
  const connect = createVettedConnector({ allowLocal: false, timeoutMs: CONNECT_TIMEOUT_MS });
  return open(vetted.url, new Agent({ connect, connections: 1 }), signal);
}

async function open(url: URL, agent: Agent, signal: AbortSignal): Promise<OpenedFile> {
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      signal,
      headersTimeout: STALL_MS,
      bodyTimeout: STALL_MS,
    });
    check(response);
    const stream: Readable = response.body;
    // The connection is this file's own.
    stream.once('close', () => void agent.destroy().catch(() => undefined));
    return { stream, bytes: lengthOf(response) };
  } catch (error) {
    await agent.destroy().catch(() => undefined);
    if (error instanceof FileGoneError || error instanceof PlatformError) throw error;
    throw noResponse(error);
  }
}

function check({ statusCode: status }: Dispatcher.ResponseData): void {
  if (status === 200) return;
  if (status === 429 || status >= 500) {
    throw new PlatformError('platform_unavailable', `the file returned ${status}`, { status });
  }
  throw new FileGoneError(`the file returned ${status}`);
}
