/** How long the server takes for a write that meets no queue. */
export interface Latency {
  note(ms: number): void;
  /** The least that was noted lately. */
  least(): number;
}

/** The least of this time, and of the one before it, counts: a server that becomes slower for good is found out. */
const SPAN_MS = 5 * 60_000;

export function createLatency(now = () => performance.now()): Latency {
  let before = Infinity;
  let present = Infinity;
  let since = now();
  return {
    note(ms) {
      if (now() - since > SPAN_MS) {
        before = present;
        present = Infinity;
        since = now();
      }
      present = Math.min(present, ms);
    },
    least: () => Math.min(before, present),
  };
}

/**
 * Of all starts and signals of this process: those of logins tell how fast the server is while there are no deliveries. The
 * first deliveries of a flood would find it slow, and take that for its own pace.
 */
export const ownLatency = createLatency();
