/** Small batches: each statement holds its locks for milliseconds, however many rows there are. */
export const BATCH = 500;

/** Repeats a statement of at most `BATCH` rows until it finds fewer, and returns how many rows it changed in all. */
export async function inBatches(changeSome: () => Promise<number>): Promise<number> {
  let changed = 0;
  for (;;) {
    const some = await changeSome();
    changed += some;
    if (some < BATCH) return changed;
  }
}
