import { setTimeout as sleep } from 'node:timers/promises';
import { ownLatency, type Latency } from './latency';

interface StartWindow {
  /** How many starts may be in flight now. */
  size(): number;
  /** Runs a start and adapts the size to how long it took. */
  measure<T>(start: () => Promise<T>): Promise<T>;
}

/** A slow start takes so many times as long as the fastest write of late. */
const SLOW = 3;
/** A start that is slow with the fewest in flight keeps its place for so many times as long as it took. */
const REST = 3;
const MAX_REST_MS = 2_000;

/**
 * Bounds starts by what the Temporal server can take: one more after as many fast ones as may be in flight, half as many
 * after one that was slow or failed (AIMD). It grows only while it is the limit, so a flood after quiet hours begins with few.
 * What a workflow does after its start loads the server more than the start, so even the fewest can
 * be too many: then starts rest. Otherwise every step of a login would wait behind the work of deliveries.
 */
export function createStartWindow({
  min,
  max,
  slowMs,
  latency = ownLatency,
  now = () => performance.now(),
  rest = (ms) => sleep(ms),
}: {
  min: number;
  max: number;
  /** No start is slow that takes less. */
  slowMs: number;
  latency?: Latency;
  now?: () => number;
  rest?: (ms: number) => Promise<void>;
}): StartWindow {
  let size = min;
  let inFlight = 0;
  let halvedAt = -Infinity;

  async function end(startedAt: number, failed: boolean): Promise<void> {
    const ms = now() - startedAt;
    if (!failed) latency.note(ms);
    const isSlow = failed || ms > Math.max(slowMs, SLOW * latency.least());
    if (!isSlow) {
      if (inFlight >= Math.floor(size)) size = Math.min(max, size + 1 / size);
      return;
    }
    // Starts that were in flight together are slow for one reason, so they count once.
    if (startedAt <= halvedAt) return;
    halvedAt = now();
    if (Math.floor(size) === min) await rest(Math.min(REST * ms, MAX_REST_MS));
    size = Math.max(min, size / 2);
  }

  return {
    size: () => Math.floor(size),
    async measure(start) {
      const startedAt = now();
      let failed = true;
      inFlight += 1;
      try {
        const result = await start();
        failed = false;
        return result;
      } finally {
        await end(startedAt, failed).finally(() => (inFlight -= 1));
      }
    },
  };
}
