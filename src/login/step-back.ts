import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For work that is not urgent. When requests come in a flood and the work takes longer than it can, both want the same
 * machine: the next piece then waits for many times what this one lost, and is made up for when the flood is over.
 */
export interface StepBack {
  /** Resolves when the rest is over, or the flood. */
  rested(isFlooded: () => Promise<boolean>): Promise<void>;
  timed<T>(work: () => Promise<T>): Promise<T>;
}

const TIMES_LOST = 100;
const LONGEST_REST_MS = 2_000;
const LOOK_MS = 100;
/** How much of the difference one slow piece teaches: what stays slow for long becomes the usual. */
const LEARNED = 0.003;

export function createStepBack(clock: () => number = () => performance.now()): StepBack {
  let usualMs = Infinity;
  let restUntil = 0;

  function learn(tookMs: number): void {
    usualMs = tookMs < usualMs ? tookMs : usualMs + (tookMs - usualMs) * LEARNED;
    if (tookMs < 1.5 * usualMs) return;
    const rest = Math.min(LONGEST_REST_MS, TIMES_LOST * (tookMs - usualMs));
    restUntil = Math.max(restUntil, clock() + rest);
  }

  return {
    async rested(isFlooded) {
      for (let left = restUntil - clock(); left > 0; left = restUntil - clock()) {
        if (!(await isFlooded())) return;
        await sleep(Math.min(left, LOOK_MS));
      }
    },
    async timed(work) {
      const began = clock();
      const result = await work();
      learn(clock() - began);
      return result;
    },
  };
}
