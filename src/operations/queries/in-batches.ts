/** Small, so that each statement holds its locks only for milliseconds. */
export const BATCH = 500;

/** Repeats a statement of at most `BATCH` rows until it changes fewer. Returns the total. */
export async function inBatches(changeSome: () => Promise<number>): Promise<number> {
  let changed = 0;
  for (;;) {
    const some = await changeSome();
    changed += some;
    if (some < BATCH) return changed;
  }
}
