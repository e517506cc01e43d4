import { PlatformError } from './platform-error';

const CALL_LIMIT_MS = 10_000;

/**
 * The transport under the MAX client. It gives a time limit to the calls that come without a signal (the client
 * passes none on for most), and keeps the `Retry-After` of a 429, which the client's own error drops.
 */
export const maxFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, {
    ...init,
    signal: init?.signal ?? AbortSignal.timeout(CALL_LIMIT_MS),
  });
  if (response.status !== 429) return response;
  const { code = '', message = '' } = (await response.json().catch(() => ({}))) as Record<string, string>;
  throw new PlatformError('rate_limited', [code, message].filter(Boolean).join(': '), {
    status: 429,
    retryAfterMs: secondsToMs(response.headers.get('retry-after')),
  });
};

function secondsToMs(header: string | null): number | null {
  return header !== null && /^\d+(\.\d+)?$/.test(header) ? Math.ceil(Number(header) * 1000) : null;
}
