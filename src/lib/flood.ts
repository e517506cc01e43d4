/** What makes a flood: so many a second, counted in windows, this one and the one before. */
export interface FloodMark {
  perSecond: number;
  windowMs: number;
}

export interface Flood {
  arrived(count?: number): void;
  isOn(): boolean;
}

/** Whether this process is being flooded. */
export function createFlood(
  { perSecond, windowMs }: FloodMark,
  clock: () => number = () => performance.now(),
): Flood {
  const many = (perSecond * 2 * windowMs) / 1000;
  let current = { since: -Infinity, count: 0 };
  let before = 0;

  function turn(): void {
    const age = clock() - current.since;
    if (age < windowMs) return;
    before = age < 2 * windowMs ? current.count : 0;
    current = { since: clock(), count: 0 };
  }

  return {
    arrived(count = 1) {
      turn();
      current.count += count;
    },
    isOn() {
      turn();
      return before + current.count >= many;
    },
  };
}
