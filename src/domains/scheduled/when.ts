import { AppError } from '../../base/contract/errors';
import { limits } from '../../base/contract/limits';
import { instantAt, type LocalTime } from '../../base/contract/zones';
import { isoTime } from '../../base/lib/iso-time';
import { RECIPIENT } from './contract';

/** When an entry is due: at a moment, or at a local time of a zone. */
export interface When {
  /** As it is shown. */
  scheduled_at: string;
  /** Null for a moment. */
  timezone: string | null;
}

const OFFSET = /(?:Z|[+-]\d\d:\d\d)$/;

export function isMoment(text: string): boolean {
  return OFFSET.test(text);
}

/** Refuses a zone beside a moment. */
export function whenOf(scheduledAt: string, timezone: string | undefined, projectZone: string): When {
  if (!isMoment(scheduledAt)) return { scheduled_at: scheduledAt, timezone: timezone ?? projectZone };
  if (timezone !== undefined) {
    throw new AppError('validation_failed', 'timezone: cannot be combined with a time that has an offset');
  }
  return { scheduled_at: isoTime(new Date(scheduledAt)), timezone: null };
}

/** The moment for recipients of this zone. */
export function dueAt({ scheduled_at, timezone }: When, recipientZone: string): Date {
  if (timezone === null) return new Date(scheduled_at);
  return instantAt(localOf(scheduled_at), timezone === RECIPIENT ? recipientZone : timezone);
}

function localOf(text: string): LocalTime {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = text.split(/[-T:.]/).map(Number);
  return { year, month, day, hour, minute, second };
}

/** The zones in which a day begins first and last. */
const FIRST_ZONE = 'Pacific/Kiritimati';
const LAST_ZONE = 'Etc/GMT+12';
const MAX_AHEAD_MS = limits.scheduledDays * 86_400_000;

/** Refuses a time that has passed (for `recipient`: in every zone) or is too far ahead. */
export function refuseOutOfRange(when: When, now = Date.now()): void {
  if (dueAt(when, LAST_ZONE).getTime() <= now) {
    throw new AppError('validation_failed', 'scheduled_at: is in the past');
  }
  if (dueAt(when, FIRST_ZONE).getTime() > now + MAX_AHEAD_MS) {
    throw new AppError('validation_failed', `scheduled_at: can be up to ${limits.scheduledDays} days ahead`);
  }
}

/** Every zone's offset is a multiple of it. */
const QUARTER_MS = 15 * 60_000;

/**
 * When an entry that is due later is read again. A recipient can move to a zone in which the time comes earlier: from the
 * first moment in any zone on, the recipients' zones are read every quarter of an hour.
 */
export function nextCheckAt(when: When, due: Date, now: Date): Date {
  if (when.timezone !== RECIPIENT) return due;
  const next = Math.max(dueAt(when, FIRST_ZONE).getTime(), now.getTime() + QUARTER_MS);
  return new Date(Math.min(due.getTime(), next));
}

/** The earliest moment over the zones of the recipients; `zones` may be empty. */
export function earliestOf(when: When, zones: (string | null)[], projectZone: string): Date {
  const distinct = [...new Set(zones.map((zone) => zone ?? projectZone))];
  const moments = (distinct.length > 0 ? distinct : [projectZone]).map((zone) => dueAt(when, zone).getTime());
  return new Date(Math.min(...moments));
}
