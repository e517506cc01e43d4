import { nextOccurrence, parseCron } from '../../../src/domains/recurring/cron';
import { isTimeZone } from '../../../src/base/contract/zones';

/** How a recurring message repeats, as it is chosen; `cron` is for what the choices cannot say. */
export interface RepeatDraft {
  every: 'day' | 'week' | 'month' | 'cron';
  /** 1 is Monday. */
  weekdays: number[];
  monthDay: number;
  /** As the browser's field has it. */
  time: string;
  cron: string;
}

export const emptyRepeat: RepeatDraft = {
  every: 'week',
  weekdays: [1],
  monthDay: 1,
  time: '09:00',
  cron: '0 9 * * MON',
};

const DAYS = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];

export function cronOf({ every, weekdays, monthDay, time, cron }: RepeatDraft): string {
  if (every === 'cron') return cron.trim();
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const at = `${minute} ${hour}`;
  if (every === 'day' || (every === 'week' && weekdays.length === 7)) return `${at} * * *`;
  if (every === 'month') return `${at} ${monthDay} * *`;
  return `${at} * * ${[...weekdays]
    .sort((a, b) => a - b)
    .map((day) => DAYS[day - 1])
    .join(',')}`;
}

/** The choices that say the same as an expression, or the expression itself. */
export function repeatOf(cron: string): RepeatDraft {
  const asCron: RepeatDraft = { ...emptyRepeat, every: 'cron', cron };
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = cron.trim().split(/\s+/);
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour) || month !== '*') return asCron;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  const simple = { ...asCron, time };
  if (day === '*' && weekday === '*') return { ...simple, every: 'day' };
  if (/^\d+$/.test(day) && weekday === '*') return { ...simple, every: 'month', monthDay: Number(day) };
  if (day !== '*' || weekday.includes('/')) return asCron;
  try {
    // Sunday is 0 in an expression, and the last day of the week here.
    const weekdays = parseCron(cron).weekday.map((value) => (value === 0 ? 7 : value));
    return { ...simple, every: 'week', weekdays: weekdays.sort((a, b) => a - b) };
  } catch {
    return asCron;
  }
}

/** What is wrong with an expression. */
export function cronFault(cron: string): string | null {
  try {
    parseCron(cron);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

/** The next occurrences; none for an expression or a zone that is not one. */
export function nextDates(cron: string, zone: string, from: Date, count: number): Date[] {
  if (!isTimeZone(zone)) return [];
  try {
    const parsed = parseCron(cron);
    const dates: Date[] = [];
    let after = from;
    while (dates.length < count) {
      const next = nextOccurrence(parsed, zone, after);
      if (!next) break;
      dates.push(next);
      after = next;
    }
    return dates;
  } catch {
    return [];
  }
}
