import { readFileSync } from 'node:fs';
import { wallClock } from './receiver';

/**
 * When the hypervisor gave this machine's cores to somebody else. A delivery that was under way then tells of a stranger,
 * whatever it was to be compared with.
 */
export interface StolenTime {
  /** Whether any was stolen between the two times of `wallClock`. */
  between(from: number, to: number): boolean;
  stop(): void;
}

const LOOK_MS = 250;

export function watchStolenTime(): StolenTime {
  const thefts: { from: number; to: number }[] = [];
  let [looked, stolen] = [wallClock(), stolenTicks()];
  const timer = setInterval(() => {
    const [from, before] = [looked, stolen];
    [looked, stolen] = [wallClock(), stolenTicks()];
    if (stolen > before) thefts.push({ from, to: looked });
  }, LOOK_MS);
  return {
    between: (from, to) => thefts.some((theft) => theft.from <= to && theft.to >= from),
    stop: () => clearInterval(timer),
  };
}

/** Of all cores together, since the machine was started; 0 where the system does not say. */
function stolenTicks(): number {
  try {
    const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    return Number(all.trim().split(/\s+/)[8] ?? 0);
  } catch {
    return 0;
  }
}
