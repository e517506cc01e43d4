import { Agent } from 'undici';
import { pinnedTo } from '../bots';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
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
 * Refuses media that its server reports as too large, before anything is sent. The messengers download it themselves
 * and enforce their own limits, so media of unknown size is accepted.
 */
export async function refuseLargeMedia({ type, url }: MessageMedia, policy: LocalPolicy): Promise<void> {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw new AppError('invalid_url', `media.url: ${vetted.why}`);
  const bytes = await Promise.race([contentLength(vetted.url, policy), nullAfter(HEAD_TIMEOUT_MS)]);
  if (bytes === null || bytes <= maxBytes[type]) return;
  const megabytes = maxBytes[type] / 1024 / 1024;
  throw new AppError('validation_failed', `media.url: a ${type} may have at most ${megabytes} MB`);
}

/** Null if the server does not respond or sends no Content-Length. */
async function contentLength(url: URL, policy: LocalPolicy): Promise<number | null> {
  let agent: Agent | undefined;
  try {
    const addresses = await vettedAddresses(hostOf(url), policy, systemLookup);
    agent = new Agent({ connect: { lookup: pinnedTo(addresses) } });
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'HEAD',
      signal: AbortSignal.timeout(HEAD_TIMEOUT_MS),
    });
    await body.dump();
    const length = Number(headers['content-length']);
    return statusCode === 200 && Number.isSafeInteger(length) ? length : null;
  } catch (error) {
    if (!(error instanceof ForbiddenAddressError)) return null;
    throw new AppError('invalid_url', `media.url: ${error.message}`);
  } finally {
    await agent?.destroy();
  }
}

async function nullAfter(ms: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), ms).unref();
  });
}
