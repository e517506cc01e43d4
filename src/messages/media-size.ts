import { Agent } from 'undici';
import { pinnedTo } from '../bots';
import { AppError } from '../contract/errors';
import { limits } from '../contract/limits';
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

const ASK_LIMIT_MS = 3_000;

/**
 * Refuses media whose own server says that it is too large, before anything is sent. The messengers fetch it
 * themselves and have the last word: a server that does not say is believed until then.
 */
export async function refuseLargeMedia({ type, url }: MessageMedia, policy: LocalPolicy): Promise<void> {
  const vetted = vetUrl(url, policy);
  if (!vetted.ok) throw new AppError('invalid_url', `media.url: ${vetted.why}`);
  const bytes = await Promise.race([lengthOf(vetted.url, policy), after(ASK_LIMIT_MS)]);
  if (bytes === null || bytes <= mostBytes[type]) return;
  const megabytes = mostBytes[type] / 1024 / 1024;
  throw new AppError('validation_failed', `media.url: a ${type} can have up to ${megabytes} MB`);
}

/** Null where nobody answers or the answer does not say. */
async function lengthOf(url: URL, policy: LocalPolicy): Promise<number | null> {
  let agent: Agent | undefined;
  try {
    const addresses = await vettedAddresses(hostOf(url), policy, systemLookup);
    agent = new Agent({ connect: { lookup: pinnedTo(addresses) } });
    const { statusCode, headers, body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'HEAD',
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
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

async function after(ms: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), ms).unref();
  });
}
