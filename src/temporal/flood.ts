/** More a second than a Temporal server on a small machine can start, several times over. */
export const FLOOD_PER_SECOND = 100;
const WINDOW_MS = 500;

export interface Flood {
  arrived(): void;
  isOn(): boolean;
}

/** Whether this process is being flooded: counted in windows of half a second, this one and the one before. */
export function createFlood(clock: () => number = () => performance.now()): Flood {
  let current = { since: -Infinity, count: 0 };
  let before = 0;

  function turn(): void {
    const age = clock() - current.since;
    if (age < WINDOW_MS) return;
    before = age < 2 * WINDOW_MS ? current.count : 0;
    current = { since: clock(), count: 0 };
  }

  return {
    arrived() {
      turn();
      current.count += 1;
    },
    isOn() {
      turn();
      return before + current.count >= FLOOD_PER_SECOND;
    },
  };
}
