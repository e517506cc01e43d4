import { Agent } from 'undici';
import { ForbiddenAddressError, type LocalPolicy } from './addresses';
import { createVettedConnector } from './dial';

/** Why a file was not fetched; the message completes "The URL …". */
export class FetchFileError extends Error {
  override readonly name = 'FetchFileError';
  constructor(
    readonly reason: 'forbidden' | 'unreachable' | 'status' | 'too_large',
    message: string,
  ) {
    super(message);
  }
}

/**
 * Downloads a file from a vetted URL: connects only to checked addresses, follows no redirect, and reads at most
 * `maxBytes` within `timeoutMs`.
 */
export async function fetchFile(
  url: URL,
  { maxBytes, timeoutMs, policy }: { maxBytes: number; timeoutMs: number; policy: LocalPolicy },
): Promise<Buffer> {
  const agent = new Agent({ connect: createVettedConnector({ ...policy, timeoutMs }) });
  try {
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      signal: AbortSignal.timeout(timeoutMs),
    });
    if (response.statusCode !== 200) {
      throw new FetchFileError('status', `returned HTTP ${response.statusCode} instead of 200`);
    }
    return await readUpTo(response.body, maxBytes);
  } catch (error) {
    if (error instanceof FetchFileError) throw error;
    if (error instanceof ForbiddenAddressError) throw new FetchFileError('forbidden', error.message);
    throw new FetchFileError('unreachable', 'did not respond');
  } finally {
    await agent.destroy();
  }
}

async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new FetchFileError('too_large', `has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
