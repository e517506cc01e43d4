import { instantAt, localTimeAt } from '../contract/zones';
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

const MINUTE_MS = 60_000;

/** When a delay that began at this time is over. `scale` is 1 except in tests. */
export function delayEnd({ minutes }: StepOf<'delay'>, beganAt: Date, scale: number): Date {
  return new Date(beganAt.getTime() + Math.max(1, minutes * MINUTE_MS * scale));
}

/** Longer than a week, because a window can be missing on a day whose clocks skip it. */
const DAYS_AHEAD = 15;

/** The first moment, not before `now`, at which the window is open by the clock of the zone: `now` itself inside it. */
export function windowOpening({ weekdays, from, to }: StepOf<'wait_until'>, now: Date, zone: string): Date {
  const [opens, closes] = [minutesOf(from), minutesOf(to)];
  const isOpen = (hour: number, minute: number) => hour * 60 + minute >= opens && hour * 60 + minute < closes;
  const isDay = (weekday: number) => !weekdays || weekdays.includes(weekday);
  const { year, month, day, hour, minute, weekday } = localTimeAt(now, zone);
  if (isDay(weekday) && isOpen(hour, minute)) return now;
  for (let ahead = 0; ahead < DAYS_AHEAD; ahead += 1) {
    if (!isDay(((weekday - 1 + ahead) % 7) + 1)) continue;
    const opening = instantAt({ year, month, day: day + ahead, hour: 0, minute: opens, second: 0 }, zone);
    // A clock that skips the whole window does not open it on that day.
    const shown = localTimeAt(opening, zone);
    if (opening > now && isOpen(shown.hour, shown.minute)) return opening;
  }
  throw new Error('the window is never open');
}
