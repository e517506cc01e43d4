import { Agent } from 'undici';
import { pinnedTo } from '../bots';
import { AppError } from '../contract/errors';
import { limits, MIB } from '../contract/limits';
import { withTimeout } from '../lib/timeout';
import type { MessageMedia } from './contract';
import {
  ForbiddenAddressError,
  hostOf,
  type LocalPolicy,
  vettedAddresses,
  vetUrl,
} from '../outbound/addresses';
import { systemLookup } from '../outbound/lookup';

const mostBytes: Record<MessageMedia['type'], number> = {
  photo: limits.photoBytes,
  video: limits.videoOrDocumentBytes,
  document: limits.videoOrDocumentBytes,
};

const REQUEST_LIMIT_MS = 3_000;

/**
 * Refuses media whose server states a length above the limit, before anything is sent. Where the server states none,
 * the messenger that fetches the file checks its size.
 */
export async function refuseLargeMedia({ type, url }: MessageMedia, policy: LocalPolicy): Promise<void> {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw new AppError('invalid_url', `media.url: ${vetted.why}`);
  const bytes = await lengthOf(vetted.url, policy);
  if (bytes === null || bytes <= mostBytes[type]) return;
  const megabytes = mostBytes[type] / MIB;
  throw new AppError('validation_failed', `media.url: a ${type} can have up to ${megabytes} MB`);
}

/** Null if the server does not respond in time or does not state a length. */
async function lengthOf(url: URL, policy: LocalPolicy): Promise<number | null> {
  try {
    return await withTimeout(requestLength(url, policy), REQUEST_LIMIT_MS);
  } catch (error) {
    if (!(error instanceof ForbiddenAddressError)) return null;
    throw new AppError('invalid_url', `media.url: ${error.message}`);
  }
}

async function requestLength(url: URL, policy: LocalPolicy): Promise<number | null> {
  const addresses = await vettedAddresses(hostOf(url), policy, systemLookup);
  const agent = new Agent({ connect: { lookup: pinnedTo(addresses) } });
  try {
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'HEAD',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    });
    await body.dump();
    const length = Number(headers['content-length']);
    return statusCode === 200 && Number.isSafeInteger(length) ? length : null;
  } finally {
    await agent.destroy();
  }
}
