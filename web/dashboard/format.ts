import { locale, t } from './texts';

/** What was typed into a field that may be empty. */
export function typedOrNull(text: string): string | null {
  return text.trim() || null;
}

/** The entries of a list that was typed into one field; empty ones are left out. */
export function typedList(text: string, separator: ',' | '\n'): string[] {
  return text
    .split(separator)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** As the first word of a line. */
export function capitalised(text: string): string {
  return text.slice(0, 1).toLocaleUpperCase(locale) + text.slice(1);
}

export function number(value: number): string {
  return new Intl.NumberFormat(locale).format(value);
}

/** One decimal, except for a whole per cent. */
export function percent(share: number): string {
  const isWhole = Number.isInteger(Math.round(share * 1000) / 10);
  return new Intl.NumberFormat(locale, {
    style: 'percent',
    minimumFractionDigits: isWhole ? 0 : 1,
    maximumFractionDigits: 1,
  }).format(share);
}

export function dateAndTime(at: string | number): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
}

/** Without the year where it is this one. */
export function shortDateAndTime(at: string | number): string {
  const date = new Date(at);
  if (date.getFullYear() !== new Date().getFullYear()) return dateAndTime(at);
  return new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(date);
}

/** A time to come: with its day of the week, and no finer than it can be chosen. */
export function plannedTime(date: Date, timeZone?: string): string {
  return new Intl.DateTimeFormat(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...(date.getFullYear() !== new Date().getFullYear() && { year: 'numeric' }),
    ...(timeZone && { timeZone }),
  }).format(date);
}

export function dayAndMonth(date: string): string {
  return new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(`${date}T00:00:00Z`),
  );
}

export function monthAndYear(month: string): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  return new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(date);
}

export function hourOfDay(at: string): string {
  return new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(new Date(at));
}

/** `1 h 5 min`, at most two units. */
export function duration(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), t.unitDay],
    [Math.floor((seconds % 86_400) / 3600), t.unitHour],
    [Math.floor((seconds % 3600) / 60), t.unitMinute],
    [seconds % 60, t.unitSecond],
  ];
  const shown = parts.filter(([amount]) => amount > 0).slice(0, 2);
  return shown.map(([amount, unit]) => `${amount} ${unit}`).join(' ') || `0 ${t.unitSecond}`;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** `5 minutes ago`. */
export function ago(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000);
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return format.format(Math.min(0, seconds), 'second');
}
