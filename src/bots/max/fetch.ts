import { PlatformError } from '../platform-error';

const CALL_LIMIT_MS = 10_000;

/**
 * The transport under the MAX client. It gives a time limit to the calls that come without a signal (the client
 * passes none on for most), keeps the `Retry-After` of a 429, which the client's own error drops, and refuses a
 * 200 that is not JSON, such as a proxy's page, which the client would take for a result.
 */
export const maxFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, {
    ...init,
    signal: init?.signal ?? AbortSignal.timeout(CALL_LIMIT_MS),
  });
  const { status, headers } = response;
  const text = await response.text();
  const body = parsed(text);
  if (status === 429) {
    const { code = '', message = '' } = (body ?? {}) as Record<string, string>;
    throw new PlatformError('rate_limited', [code, message].filter(Boolean).join(': '), {
      status,
      retryAfterMs: secondsToMs(headers.get('retry-after')),
    });
  }
  if (response.ok && body === undefined) {
    throw new PlatformError('platform_unavailable', 'The response is not JSON.', { status });
  }
  return new Response(text, { status, headers });
};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function secondsToMs(header: string | null): number | null {
  return header !== null && /^\d+(\.\d+)?$/.test(header) ? Math.ceil(Number(header) * 1000) : null;
}
