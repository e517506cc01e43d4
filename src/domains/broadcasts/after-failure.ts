import type { PlatformError } from '../bots';

/** After this many transient failures a message counts as failed. */
const MAX_TRIES = 5;

/** What a failed call means for a message of a broadcast. */
export type AfterFailure =
  /** The message was not delivered and the failure is transient: send it again later. */
  { next: 'retry'; countsAsTry: boolean } | { next: 'failed' };

/**
 * Retries a message only if the platform rejected it or was never reached. After a timeout or a lost connection the
 * outcome is unknown, and reporting a failure to the project is better than sending a second copy.
 */
export function afterFailure(error: PlatformError, tries: number): AfterFailure {
  if (error.reason === 'rate_limited') return { next: 'retry', countsAsTry: false };
  if (error.reason !== 'platform_unavailable' || tries + 1 >= MAX_TRIES) return { next: 'failed' };
  return error.isUndelivered ? { next: 'retry', countsAsTry: true } : { next: 'failed' };
}

const BACKOFF_MS = { first: 250, max: 30_000 };

/**
 * Exponential backoff during a platform outage, so that an outage of minutes does not fail the whole audience. It pauses
 * this run only: a single failed call must not hold up other projects. Calls that started before the last pause belong
 * to the same wave of failures and do not lengthen it.
 */
export class OutageBackoff {
  private waves = 0;
  private pausedAt = -Infinity;
  private pausedUntil = -Infinity;

  /** Returns the pause after this failure; null if the failure belongs to the current wave. */
  failed(startedAt: number, now = performance.now()): number | null {
    if (startedAt <= this.pausedAt) return null;
    this.waves += 1;
    const pauseMs = Math.min(BACKOFF_MS.first * 2 ** (this.waves - 1), BACKOFF_MS.max);
    this.pauseFor(pauseMs, now);
    return pauseMs;
  }

  pauseFor(ms: number, now = performance.now()): void {
    this.pausedAt = now;
    this.pausedUntil = now + ms;
  }

  remainingMs(now = performance.now()): number {
    return Math.max(0, this.pausedUntil - now);
  }

  succeeded(): void {
    this.waves = 0;
  }
}
