export interface StartWindow {
  /** How many starts may be in flight now. */
  size(): number;
  /** Runs a start and adapts the size to how long it took. */
  measure<T>(start: () => Promise<T>): Promise<T>;
}

/**
 * Bounds starts by what the Temporal server can take: one more after each that was fast, half as many after one that was
 * slow or failed (AIMD). Starts that wait at the server hold up those of logins. What a start takes with the fewest in
 * flight is the server's own latency: slow is one that takes longer than `slowMs` and twice as long as that.
 */
export function createStartWindow({
  min,
  max,
  slowMs,
  now = () => performance.now(),
}: {
  min: number;
  max: number;
  slowMs: number;
  now?: () => number;
}): StartWindow {
  let size = max;
  let halvedAt = -Infinity;
  let ownMs = 0;

  function adapt(startedAt: number, isSlow: boolean): void {
    if (!isSlow) size = Math.min(max, size + 1);
    // Starts that were in flight together are slow for one reason, so they count once.
    else if (startedAt > halvedAt) {
      size = Math.max(min, Math.floor(size / 2));
      halvedAt = now();
    }
  }

  return {
    size: () => size,
    async measure(start) {
      const startedAt = now();
      const limitMs = Math.max(slowMs, 2 * ownMs);
      const isOneOfFewest = size === min;
      try {
        const result = await start();
        const ms = now() - startedAt;
        ownMs = isOneOfFewest ? ms : Math.min(ownMs, ms);
        adapt(startedAt, ms > limitMs);
        return result;
      } catch (error) {
        adapt(startedAt, true);
        throw error;
      }
    },
  };
}
