import { localTimeAt } from '../../../src/base/contract/zones';

/** Half hours, two changes within a month, a change at midnight, in the other direction, or by two hours. */
export const oddZones = [
  'Australia/Lord_Howe',
  'Africa/Casablanca',
  'America/Havana',
  'Asia/Beirut',
  'Europe/Dublin',
  'Antarctica/Troll',
];

export const MINUTE = 60_000;
/** No zone goes there and back within three weeks. */
const STRIDE = 21 * 24 * 60 * MINUTE;

/** Milliseconds of what the clock shows, read as UTC. */
export function shownAt(instant: number, zone: string): number {
  const { year, month, day, hour, minute, second } = localTimeAt(new Date(instant), zone);
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Of an instant without a fraction of a second. */
export function offsetAt(instant: number, zone: string): number {
  return shownAt(instant, zone) - instant;
}

/** The first instant with the offset of `to`, to the minute. */
function transitionBetween(from: number, to: number, zone: string): number {
  const target = offsetAt(to, zone);
  let [low, high] = [from, to];
  while (high - low > MINUTE) {
    const middle = Math.floor((low + high) / 2 / MINUTE) * MINUTE;
    if (offsetAt(middle, zone) === target) high = middle;
    else low = middle;
  }
  return high;
}

/** The instants at which the zone changes its clock. */
export function transitionsOf(zone: string, from: number, to: number): number[] {
  const found: number[] = [];
  let offset = offsetAt(from, zone);
  for (let at = from; at < to; at += STRIDE) {
    const next = offsetAt(at + STRIDE, zone);
    if (next !== offset) found.push(transitionBetween(at, at + STRIDE, zone));
    offset = next;
  }
  return found;
}
