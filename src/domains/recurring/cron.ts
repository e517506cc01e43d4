import { DAY_MS } from '../../base/contract/durations';
import { instantAt, localTimeAt } from '../../base/contract/zones';

/** A cron expression of five fields, as the values that each allows. */
export interface Cron {
  minute: number[];
  hour: number[];
  /** 1 to 31. */
  day: number[];
  month: number[];
  /** 0 is Sunday. */
  weekday: number[];
}

/** Says what is wrong; the caller adds the field. */
export class CronFault extends Error {}

interface Field {
  name: string;
  min: number;
  max: number;
  names?: string[];
}

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const WEEKDAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

const fields: Record<keyof Cron, Field> = {
  minute: { name: 'minute', min: 0, max: 59 },
  hour: { name: 'hour', min: 0, max: 23 },
  day: { name: 'day of month', min: 1, max: 31 },
  month: { name: 'month', min: 1, max: 12, names: MONTHS },
  // 7 is Sunday too.
  weekday: { name: 'day of week', min: 0, max: 7, names: WEEKDAYS },
};

export function parseCron(text: string): Cron {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) throw new CronFault('must have five fields: minute, hour, day, month, weekday');
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = parts;
  const isRestricted = (part: string) => part !== '*';
  if (isRestricted(day) && isRestricted(weekday)) {
    throw new CronFault('cannot restrict both the day of month and the day of week');
  }
  const cron = {
    minute: valuesOf(minute, fields.minute),
    hour: valuesOf(hour, fields.hour),
    day: valuesOf(day, fields.day),
    month: valuesOf(month, fields.month),
    weekday: sorted(valuesOf(weekday, fields.weekday).map((value) => value % 7)),
  };
  const longest = Math.max(...cron.month.map((each) => new Date(Date.UTC(2024, each, 0)).getUTCDate()));
  if (cron.day.every((each) => each > longest)) throw new CronFault('names a day that does not exist');
  return cron;
}

function valuesOf(text: string, field: Field): number[] {
  return sorted(text.split(',').flatMap((part) => rangeOf(part, field)));
}

const PART = /^(\*|[A-Z]{3}|\d{1,2})(?:-([A-Z]{3}|\d{1,2}))?(?:\/(\d{1,2}))?$/;

/** `*`, `5`, `MON`, `1-5`, and each with a step. A step after one value goes on to the end. */
function rangeOf(part: string, field: Field): number[] {
  const found = PART.exec(part.toUpperCase());
  if (!found) throw faultOf(part, field);
  const [, first = '', last, step] = found;
  if (first === '*' && last !== undefined) throw faultOf(part, field);
  // `*` of the weekdays is 0 to 6: 7 would count Sunday twice.
  const end = field.max === 7 ? 6 : field.max;
  const from = first === '*' ? field.min : numberOf(first, part, field);
  let to =
    last !== undefined ? numberOf(last, part, field) : first === '*' || step !== undefined ? end : from;
  // FRI-SUN; SUN-SUN is Sunday alone.
  if (field.max === 7 && to === 0 && from > 0) to = 7;
  const by = step === undefined ? 1 : Number(step);
  if (by < 1 || from > to) throw faultOf(part, field);
  const values: number[] = [];
  for (let value = from; value <= to; value += by) values.push(value);
  return values;
}

function numberOf(text: string, part: string, field: Field): number {
  const named = field.names?.indexOf(text) ?? -1;
  const value = named >= 0 ? named + (field.names === MONTHS ? 1 : 0) : Number(text);
  if (Number.isNaN(value) || value < field.min || value > field.max) throw faultOf(part, field);
  return value;
}

function faultOf(part: string, { name }: Field): CronFault {
  return new CronFault(`has a wrong ${name}: "${part.slice(0, 20)}"`);
}

function sorted(values: number[]): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** Leap days come at most eight years apart. */
const MAX_DAYS = 8 * 366 + 2;

/** Timestamps of the API have four-digit years. */
const LAST_YEAR = 9999;

/**
 * The first occurrence after an instant, in the zone; null if there is none. A local time that does not exist that day
 * does not occur; one that the clock shows twice occurs at the first.
 */
export function nextOccurrence(cron: Cron, zone: string, after: Date): Date | null {
  const from = localTimeAt(after, zone);
  for (let offset = 0; offset < MAX_DAYS; offset += 1) {
    const date = new Date(Date.UTC(from.year, from.month - 1, from.day + offset));
    if (!isDay(cron, date)) continue;
    for (const hour of cron.hour) {
      for (const minute of cron.minute) {
        // First occurrences are in the order of the clock: what the clock shows already is past.
        if (offset === 0 && hour * 60 + minute < from.hour * 60 + from.minute) continue;
        const found = occurrenceAt(date, hour, minute, zone);
        if (found && found > after) return found.getUTCFullYear() > LAST_YEAR ? null : found;
      }
    }
  }
  return null;
}

function isDay({ day, month, weekday }: Cron, date: Date): boolean {
  return (
    month.includes(date.getUTCMonth() + 1) &&
    day.includes(date.getUTCDate()) &&
    weekday.includes(date.getUTCDay())
  );
}

/** Null if the clock of the zone skips this time. */
function occurrenceAt(date: Date, hour: number, minute: number, zone: string): Date | null {
  const local = {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour,
    minute,
    second: 0,
  };
  const instant = instantAt(local, zone);
  const shown = localTimeAt(instant, zone);
  return shown.hour === hour && shown.minute === minute && shown.day === local.day ? instant : null;
}

/** The last occurrences after one instant and up to another, oldest first. */
export function lastOccurrences(
  cron: Cron,
  zone: string,
  { after, until, limit }: { after: Date; until: Date; limit: number },
): Date[] {
  // Widened only while it holds too few: the search can span years, and an expression can match every minute or only leap
  // days.
  for (let window = DAY_MS; ; window *= 4) {
    const from = new Date(Math.max(after.getTime(), until.getTime() - window));
    const found: Date[] = [];
    let at = nextOccurrence(cron, zone, from);
    while (at && at <= until) {
      found.push(at);
      at = nextOccurrence(cron, zone, at);
    }
    if (from <= after || found.length >= limit) return found.slice(-limit);
  }
}

/** Whether the instant is an occurrence itself. */
export function isOccurrence(cron: Cron, zone: string, at: Date): boolean {
  return nextOccurrence(cron, zone, new Date(at.getTime() - 1))?.getTime() === at.getTime();
}

/** The wall clock's time, which identifies an occurrence: `2026-01-31T09:00`. */
export function localName(at: Date, zone: string): string {
  const { year, month, day, hour, minute } = localTimeAt(at, zone);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${year}-${two(month)}-${two(day)}T${two(hour)}:${two(minute)}`;
}
