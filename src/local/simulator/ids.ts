/**
 * Ids are derived from the clock: the simulator keeps nothing but its users between runs, and Herald remembers update ids
 * for two days.
 */
const FIRST_DAY = Date.UTC(2025, 0, 1);

/**
 * A counter that never falls behind the clock, so that a restarted simulator does not repeat an id. A unit of a tenth
 * of a second keeps ids within Telegram's 32 bits for years.
 */
export function clockCounter(unitMs = 100, epoch = FIRST_DAY): () => number {
  let last = 0;
  return () => {
    last = Math.max(last + 1, Math.floor((Date.now() - epoch) / unitMs));
    return last;
  };
}

/** Unique times in milliseconds: MAX updates have no id and are distinguished by their time. */
export function uniqueTimes(): () => number {
  return clockCounter(1, 0);
}
