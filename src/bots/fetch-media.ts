import { isIP, type LookupFunction } from 'node:net';
import { Agent } from 'undici';
import { hostOf, type LocalPolicy, vettedAddresses, vetUrl } from '../outbound/addresses';
import { systemLookup } from '../outbound/lookup';
import { PlatformError } from './platform-error';

const FETCH_LIMIT_MS = 30_000;

/**
 * Downloads a project's media file. The project chose the URL, so it is vetted like a webhook URL: the client connects
 * only to the addresses that were checked, and redirects are refused.
 */
export async function fetchMedia(url: string, maxBytes: number, policy: LocalPolicy): Promise<Buffer> {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw refused(`the media URL ${vetted.why}`);
  const addresses = await vettedAddresses(hostOf(vetted.url), policy, systemLookup).catch((error: Error) => {
    throw refused(`the media URL ${error.message}`);
  });
  const agent = new Agent({ connect: { lookup: pinnedTo(addresses) } });
  try {
    const response = await agent.request({
      origin: vetted.url.origin,
      path: vetted.url.pathname + vetted.url.search,
      method: 'GET',
      signal: AbortSignal.timeout(FETCH_LIMIT_MS),
    });
    if (response.statusCode !== 200) throw refused(`the media URL returned ${response.statusCode}`);
    return await readUpTo(response.body, maxBytes);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw new PlatformError('platform_unavailable', 'the media URL did not respond');
  } finally {
    await agent.destroy();
  }
}

export function pinnedTo(addresses: string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_hostname, { all }, callback) => {
    if (all) return callback(null, found);
    callback(null, found[0]?.address ?? '', found[0]?.family ?? 0);
  };
}

async function readUpTo(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw refused(`the media is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refused(why: string): PlatformError {
  return new PlatformError('invalid_message', why);
}
