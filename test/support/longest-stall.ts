import { setImmediate as nextTurn } from 'node:timers/promises';

export interface Watched<T> {
  result: T;
  ms: number;
  /** The longest time for which nothing else could run in this process. */
  stall: number;
}

/** Runs `work` and measures how long it kept the process from doing anything else. */
export async function longestStall<T>(work: () => Promise<T>): Promise<Watched<T>> {
  let running = true;
  let stall = 0;
  const watch = (async () => {
    for (let before = performance.now(); running;) {
      await nextTurn();
      stall = Math.max(stall, performance.now() - before);
      before = performance.now();
    }
  })();
  const start = performance.now();
  try {
    const result = await work();
    const ms = performance.now() - start;
    running = false;
    await watch;
    return { result, ms, stall };
  } finally {
    running = false;
  }
}
