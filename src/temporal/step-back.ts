import { setTimeout as sleep } from 'node:timers/promises';

/**
 * For work that is not urgent: when it takes much longer than it can, the server or this machine is busy with
 * something else, and the next piece waits for a few times what this one lost.
 */
export interface StepBack {
  isResting(): boolean;
  /** Resolves when the rest is over. */
  rested(): Promise<void>;
  timed<T>(work: () => Promise<T>): Promise<T>;
}

const TIMES_LOST = 40;
const LONGEST_REST_MS = 2_000;
/** How much of the difference one slow piece teaches: what stays slow for long becomes the usual. */
const LEARNED = 0.003;

export function createStepBack(clock: () => number = () => performance.now()): StepBack {
  let usualMs = Infinity;
  let restUntil = 0;

  function learn(tookMs: number): void {
    usualMs = tookMs < usualMs ? tookMs : usualMs + (tookMs - usualMs) * LEARNED;
    if (tookMs < 2 * usualMs) return;
    const rest = Math.min(LONGEST_REST_MS, TIMES_LOST * (tookMs - usualMs));
    restUntil = Math.max(restUntil, clock() + rest);
  }

  return {
    isResting: () => restUntil > clock(),
    async rested() {
      for (let left = restUntil - clock(); left > 0; left = restUntil - clock()) await sleep(left);
    },
    async timed(work) {
      const began = clock();
      const result = await work();
      learn(clock() - began);
      return result;
    },
  };
}
