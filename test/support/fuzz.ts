/** 1 in the suite; `npm run fuzz` sets it. */
const factor = Number(process.env['HERALD_TEST_FUZZ'] ?? 1);

/** The limit of a test that tries values, longer as it tries more of them. */
export function patience(ms: number): number {
  return ms * factor;
}

/**
 * How often a property is tried: in the suite as often as it takes to find a fault, many times that in `npm run fuzz`. With
 * a seed, the suite tries the same values each time.
 */
export function runs(usual: number, seed?: number): { numRuns: number; seed?: number } {
  return { numRuns: usual * factor, ...(seed === undefined || factor > 1 ? {} : { seed }) };
}

/** In the suite every nth of the items, and those that are `known` to be odd; all of them in `npm run fuzz`. */
export function sampled<T>(items: readonly T[], nth: number, known: readonly T[] = []): T[] {
  return items.filter((item, index) => factor > 1 || index % nth === 0 || known.includes(item));
}
