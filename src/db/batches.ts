import { setTimeout as sleep } from 'node:timers/promises';

/** Rows of one transaction: others wait for what it locks. */
export const BATCH_ROWS = 1_000;

/** A batch that waited for a lock cost others nothing. */
const MAX_REST_MS = 500;

/** Repeats a statement that changes `BATCH_ROWS` rows at most, each time in a transaction of its own, until no more are left. */
export async function inBatches(changeNext: () => Promise<number>): Promise<void> {
  while ((await changeNext()) === BATCH_ROWS);
}

/** The batches of this process: one after another, whoever they are for. */
let turns: Promise<unknown> = Promise.resolve();

/**
 * Runs one batch of work that has many, after those that were there before it, and then leaves the database alone for as long as
 * it took: several such works take half of a core together. Each of the short statements of a login would wait for a core behind
 * them.
 */
export function inTurn<T>(batch: () => Promise<T>): Promise<T> {
  let startedAt = 0;
  const run = turns.then(() => {
    startedAt = performance.now();
    return batch();
  });
  const rest = () => sleep(Math.min(performance.now() - startedAt, MAX_REST_MS), undefined, { ref: false });
  turns = run.then(rest, rest);
  return run;
}
