export function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function percentile(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

/** Where one round of several met a moment of noise, the middle one did not. */
export function median<T>(values: T[], of: (value: T) => number): T {
  const sorted = [...values].sort((a, b) => of(a) - of(b));
  return sorted[Math.floor(sorted.length / 2)] as T;
}
