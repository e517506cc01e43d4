import { setTimeout as sleep } from 'node:timers/promises';

interface RetryOptions {
  /** The first pause; each further one is twice as long, up to `most`. Jitter adds up to as much again. */
  pauseMs: { first: number; most: number };
  /** Whether to try again after this failure. */
  shouldRetry(error: unknown, progress: { failures: number; elapsedMs: number }): boolean;
  onRetry?(error: unknown): void;
  /** On abort a pause ends, and the last error is thrown. */
  signal?: AbortSignal;
}

/** Repeats `work`, which must be safe to repeat, until it succeeds or `shouldRetry` gives up: then its last error is thrown. */
export async function withRetry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { pauseMs, shouldRetry, onRetry, signal } = options;
  const started = performance.now();
  for (let failures = 1, pause = pauseMs.first; ; failures += 1, pause = Math.min(pause * 2, pauseMs.most)) {
    try {
      return await work();
    } catch (error) {
      const progress = { failures, elapsedMs: performance.now() - started };
      if (signal?.aborted || !shouldRetry(error, progress)) throw error;
      onRetry?.(error);
      await sleep(pause * (1 + Math.random()), undefined, { signal }).catch(() => {
        throw error;
      });
    }
  }
}
