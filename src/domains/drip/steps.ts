import { MINUTE_MS } from '../../base/contract/durations';
import { endOfGap, instantAt, localTimeAt } from '../../base/contract/zones';
import { END, minutesOf, type Step, type StepOf } from './contract';

/** The step after this one; null if it is the last. */
export function stepAfter(steps: readonly Step[], id: string): Step | null {
  const index = steps.findIndex((step) => step.id === id);
  return index < 0 ? null : (steps[index + 1] ?? null);
}

/** Where a condition leads; null if that ends the chain. */
export function stepAfterCondition(
  steps: readonly Step[],
  condition: StepOf<'condition'>,
  holds: boolean,
): Step | null {
  if (holds) return stepAfter(steps, condition.id);
  if (condition.else === END) return null;
  return steps.find(({ id }) => id === condition.else) ?? null;
}

/** When a delay that began at this time is over. `scale` is 1 except in tests. */
export function delayEnd({ minutes }: StepOf<'delay'>, beganAt: Date, scale: number): Date {
  return new Date(beganAt.getTime() + Math.max(1, minutes * MINUTE_MS * scale));
}

/** The window of today can be over. */
const DAYS_AHEAD = 7;

/**
 * The first moment, not before `now`, at which the window is open by the clock of the zone: `now` itself inside it. A
 * window that the clock skips moves forward by the gap, as a single time does, and is as long as on other days.
 */
export function windowOpening({ weekdays, from, to }: StepOf<'wait_until'>, now: Date, zone: string): Date {
  const [opens, closes] = [minutesOf(from), minutesOf(to)];
  const isOpenAt = (instant: Date) => {
    const { hour, minute } = localTimeAt(instant, zone);
    return hour * 60 + minute >= opens && hour * 60 + minute < closes;
  };
  const isDay = (weekday: number) => !weekdays || weekdays.includes(weekday);
  const { year, month, day, weekday } = localTimeAt(now, zone);
  if (isDay(weekday) && isOpenAt(now)) return now;
  // From yesterday: a gap at the end of a day leads into the next one.
  for (let ahead = -1; ahead <= DAYS_AHEAD; ahead += 1) {
    if (!isDay(((weekday + 6 + ahead) % 7) + 1)) continue;
    const local = { year, month, day: day + ahead, hour: 0, minute: opens, second: 0 };
    const opening = instantAt(local, zone);
    const gapEnd = isOpenAt(opening) ? null : endOfGap(local, zone);
    // What the clock does not skip of the window begins at the end of the gap.
    const isPartLeft = gapEnd !== null && isOpenAt(gapEnd);
    const opensAt = isPartLeft ? gapEnd : opening;
    if (opensAt > now) return opensAt;
    const isSkipped = gapEnd !== null && !isPartLeft;
    if (isSkipped && now.getTime() < opening.getTime() + (closes - opens) * MINUTE_MS) return now;
  }
  throw new Error('the window is never open');
}
