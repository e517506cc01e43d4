/** Upper bounds of the latency histogram in milliseconds; one more count is for what takes longer. Stored: never change. */
export const LATENCY_BOUNDS_MS = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** What the last count stands for: an attempt has ten seconds, and a little more to end. */
const LONGEST_MS = 11_000;

/** The duration that this share of the attempts does not exceed, interpolated within its bounds; null without attempts. */
export function percentile(counts: readonly number[], share: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = share * total;
  let passed = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && passed + count >= wanted) {
      const from = LATENCY_BOUNDS_MS[index - 1] ?? 0;
      const to = LATENCY_BOUNDS_MS[index] ?? LONGEST_MS;
      return Math.round(from + ((wanted - passed) / count) * (to - from));
    }
    passed += count;
  }
  return LONGEST_MS;
}
