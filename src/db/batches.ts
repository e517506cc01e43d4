/** Rows of one transaction: others wait for what it locks. */
export const BATCH_ROWS = 1_000;

/** Repeats a statement that changes `BATCH_ROWS` rows at most, each time in a transaction of its own, until no more are left. */
export async function inBatches(changeNext: () => Promise<number>): Promise<void> {
  while ((await changeNext()) === BATCH_ROWS);
}
