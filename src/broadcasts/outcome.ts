import type { PlatformError } from '../bots';

/** Refusals of one message for the moment, after which it counts as failed. */
const MOST_TRIES = 5;

/** What a refusal means for a message of a broadcast. */
export type Outcome =
  /** It has reached nobody, and the reason passes: the same message goes again later. */
  { next: 'again'; pauseMs: number | null; countsAsTry: boolean } | { next: 'failed' };

/**
 * A message goes again only where the platform has said that it did not take it, or was never reached. After a
 * time-out or a cut connection nobody knows: a second copy is worse than a failure that the project is told of.
 */
export function outcomeOf(error: PlatformError, tries: number): Outcome {
  if (error.reason === 'rate_limited') {
    return { next: 'again', pauseMs: error.retryAfterMs ?? 1_000, countsAsTry: false };
  }
  if (error.reason !== 'platform_unavailable' || tries + 1 >= MOST_TRIES) return { next: 'failed' };
  const wasRefused = error.status !== null && error.status >= 500;
  if (!wasRefused && !wasNeverReached(error)) return { next: 'failed' };
  return { next: 'again', pauseMs: null, countsAsTry: true };
}

function wasNeverReached({ platformText }: PlatformError): boolean {
  return /\((ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)\)/.test(platformText);
}

const TROUBLE_PAUSE_MS = { first: 250, most: 30_000 };

/**
 * A platform in trouble is given time, longer with every wave of failures, so that an outage of minutes does not use
 * up the audience. Calls that began before the last pause belong to its wave and lengthen nothing.
 */
export class Trouble {
  private waves = 0;
  private pausedAt = -Infinity;

  /** The pause that this failure asks for, or null. */
  failed(startedAt: number, now = performance.now()): number | null {
    if (startedAt <= this.pausedAt) return null;
    this.pausedAt = now;
    this.waves += 1;
    return Math.min(TROUBLE_PAUSE_MS.first * 2 ** (this.waves - 1), TROUBLE_PAUSE_MS.most);
  }

  succeeded(): void {
    this.waves = 0;
  }
}
