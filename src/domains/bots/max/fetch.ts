import { PlatformError } from '../platform-error';

const CALL_LIMIT_MS = 10_000;

/**
 * The HTTP transport of the MAX client. It adds a timeout to calls without a signal (most of the client's calls have
 * none), keeps the `Retry-After` of a 429, which the client's own error drops, and rejects a 200 that is not JSON,
 * such as a proxy's error page, which the client would take for a result.
 */
export const maxFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, {
    ...init,
    signal: init?.signal ?? AbortSignal.timeout(CALL_LIMIT_MS),
  });
  const { status, headers } = response;
  const text = await response.text();
  const body = parseJson(text);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function secondsToMs(header: string | null): number | null {
  return header !== null && /^\d+(\.\d+)?$/.test(header) ? Math.ceil(Number(header) * 1000) : null;
}
