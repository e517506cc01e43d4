import type { FailureReason } from '../events/contract';

const retryableReasons = new Set<FailureReason>(['rate_limited', 'platform_unavailable']);
const unsubscribingReasons = new Set<FailureReason>(['user_blocked_bot', 'chat_not_found']);

/** Whether sending may be tried again. */
export function isRetryableReason(reason: FailureReason): boolean {
  return retryableReasons.has(reason);
}

/** Whether the recipient should leave the audience. */
export function unsubscribes(reason: FailureReason): boolean {
  return unsubscribingReasons.has(reason);
}

const MAX_TEXT = 500;

export interface PlatformErrorDetails {
  status?: number;
  retryAfterMs?: number | null;
}

/**
 * What a messenger platform refused, in the specification's words. Made anew from the library's error, never
 * wrapped around it: those errors carry the request, and some of them the token.
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly retryable: boolean;
  readonly shouldUnsubscribe: boolean;
  /** The platform's status code; null where there was no answer. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** The platform's own text. */
  readonly platformText: string;

  constructor(
    readonly reason: FailureReason,
    platformText: string,
    { status, retryAfterMs }: PlatformErrorDetails = {},
  ) {
    const text = withoutTokens(platformText).slice(0, MAX_TEXT);
    super(`${reason}: ${text}`);
    this.platformText = text;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.retryable = isRetryableReason(reason);
    this.shouldUnsubscribe = unsubscribes(reason);
  }
}

/** Platforms do not repeat tokens in their texts; should one ever do so, it ends here. */
function withoutTokens(text: string): string {
  return text.replaceAll(/\d{3,}:[\w-]{20,}/g, '[token]');
}

/** No answer: of the library's error only the system's code is taken, since its text can hold the address and token. */
export function noAnswer(error: unknown): PlatformError {
  const { name, code, cause } = (error ?? {}) as { name?: unknown; code?: unknown; cause?: unknown };
  if (name === 'AbortError' || name === 'TimeoutError') {
    return new PlatformError('platform_unavailable', 'The platform did not respond in time.');
  }
  const system = [code, (cause as { code?: unknown } | undefined)?.code].find(
    (each) => typeof each === 'string' && /^[A-Z0-9_]+$/.test(each),
  );
  return new PlatformError(
    'platform_unavailable',
    `The connection to the platform failed${system === undefined ? '' : ` (${String(system)})`}.`,
  );
}
