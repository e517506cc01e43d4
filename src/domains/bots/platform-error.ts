import type { FailureReason } from '../events/contract';
import { storableText } from './storable';

const retryableReasons = new Set<FailureReason>(['rate_limited', 'platform_unavailable']);
const unsubscribingReasons = new Set<FailureReason>(['user_blocked_bot', 'chat_not_found']);

/** Whether sending can be retried. */
export function isRetryableReason(reason: FailureReason): boolean {
  return retryableReasons.has(reason);
}

/** Whether the recipient should be unsubscribed. */
export function unsubscribes(reason: FailureReason): boolean {
  return unsubscribingReasons.has(reason);
}

const MAX_TEXT = 500;

interface PlatformErrorDetails {
  status?: number;
  retryAfterMs?: number | null;
}

/**
 * A failed platform call, with a failure reason of the specification. It copies from the library's error and never
 * wraps it, because those errors carry the request and some of them the token.
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError';
  readonly retryable: boolean;
  readonly shouldUnsubscribe: boolean;
  /** The platform's status code; null if there was no response. */
  readonly status: number | null;
  readonly retryAfterMs: number | null;
  /** The platform's own error text. */
  readonly platformText: string;

  constructor(
    readonly reason: FailureReason,
    platformText: string,
    { status, retryAfterMs }: PlatformErrorDetails = {},
  ) {
    // The cut may leave half of a surrogate pair.
    const text = storableText(redactTokens(platformText).slice(0, MAX_TEXT));
    super(`${reason}: ${text}`);
    this.platformText = text;
    this.status = status ?? null;
    this.retryAfterMs = retryAfterMs ?? null;
    this.retryable = isRetryableReason(reason);
    this.shouldUnsubscribe = unsubscribes(reason);
  }

  /**
   * Whether the failure is transient and the platform has certainly not taken the message: it rejected the call or was
   * never reached. After a timeout or a lost connection the outcome is unknown.
   */
  get isUndelivered(): boolean {
    if (this.reason === 'rate_limited') return true;
    if (this.reason !== 'platform_unavailable') return false;
    return (this.status !== null && this.status >= 500) || NEVER_REACHED.test(this.platformText);
  }
}

const NEVER_REACHED = /\((ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\)/;

/** A safeguard: platforms do not normally put tokens in their error texts. */
function redactTokens(text: string): string {
  return text.replaceAll(/\d{3,}:[\w-]{20,}/g, '[token]');
}

/** For a call without a response. Copies only the system error code: the text can contain the URL and the token. */
export function noResponse(error: unknown): PlatformError {
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
