import { Agent } from 'undici';
import { pinnedTo } from '../bots';
import { AppError } from '../contract/errors';
import { limits, MIB } from '../contract/limits';
import { withTimeout } from '../lib/timeout';
import {
  ForbiddenAddressError,
  hostOf,
  type LocalPolicy,
  vettedAddresses,
  vetUrl,
} from '../outbound/addresses';
import { systemLookup } from '../outbound/lookup';
import type { MessageMedia } from './contract';

const maxBytes: Record<MessageMedia['type'], number> = {
  photo: limits.photoBytes,
  video: limits.videoOrDocumentBytes,
  document: limits.videoOrDocumentBytes,
};

const HEAD_TIMEOUT_MS = 3_000;

/**
 * Refuses media whose server states a length above the limit, before anything is sent. If the server states none, the
 * messenger that downloads the file enforces its own limit.
 */
export async function refuseLargeMedia({ type, url }: MessageMedia, policy: LocalPolicy): Promise<void> {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw new AppError('invalid_url', `media.url: ${vetted.why}`);
  const bytes = await contentLength(vetted.url, policy);
  if (bytes === null || bytes <= maxBytes[type]) return;
  const megabytes = maxBytes[type] / MIB;
  throw new AppError('validation_failed', `media.url: a ${type} can have up to ${megabytes} MB`);
}

/** Null if the server does not respond in time or does not state a length. */
async function contentLength(url: URL, policy: LocalPolicy): Promise<number | null> {
  try {
    return await withTimeout(requestLength(url, policy), HEAD_TIMEOUT_MS);
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
      signal: AbortSignal.timeout(HEAD_TIMEOUT_MS),
    });
    await body.dump();
    const length = Number(headers['content-length']);
    return statusCode === 200 && Number.isSafeInteger(length) ? length : null;
  } finally {
    await agent.destroy();
  }
}
