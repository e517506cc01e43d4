/** Identifiers start afresh with every process, and herald remembers update ids for two days: so they follow the clock. */
const FIRST_DAY = Date.UTC(2025, 0, 1);

/**
 * A counter that never falls behind the clock, so that a restarted simulator cannot repeat a number.
 * Tenths of a second keep the number within the 32 bits that Telegram promises for years to come.
 */
export function clockCounter(unitMs = 100, epoch = FIRST_DAY): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Math.floor((Date.now() - epoch) / unitMs));
    return last;
  };
}

/** Milliseconds since 1970 that never repeat: MAX updates have no id and are told apart by their time. */
export function distinctTimes(): () => number {
  return clockCounter(1, 0);
}
