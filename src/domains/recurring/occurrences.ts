import { limits } from '../../base/contract/limits';
import { isOccurrence, lastOccurrences, localName, nextOccurrence, parseCron } from './cron';
import type { RecurringRow } from './queries/recurring';

/** What the occurrences of a recurring message are computed from. */
type Times = Pick<RecurringRow, 'cron' | 'timezone' | 'start_at' | 'end_at' | 'max_runs' | 'runs'>;
type State = Times & Pick<RecurringRow, 'status' | 'next_at'>;

/** Skipped occurrences that are passed over in one computation. */
const MAX_PASSED = 500;

/** An occurrence that is later than this is missed. */
export const LATE_MS = limits.recurringLateMinutes * 60_000;

/**
 * The first occurrence after an instant that is not claimed; null if there is none. After very many claimed ones it is the
 * last of these: when it comes, the next is computed.
 */
export function nextRunAfter(
  times: Times,
  after: Date,
  claimed: ReadonlySet<string> = new Set(),
): Date | null {
  if (isUsedUp(times)) return null;
  const cron = parseCron(times.cron);
  // An occurrence at the very start counts.
  let at = times.start_at && times.start_at > after ? new Date(times.start_at.getTime() - 1) : after;
  for (let passed = 0; passed < MAX_PASSED; passed += 1) {
    const next = nextOccurrence(cron, times.timezone, at);
    if (!next || (times.end_at && next > times.end_at)) return null;
    if (!claimed.has(localName(next, times.timezone))) return next;
    at = next;
  }
  return at;
}

function isUsedUp({ max_runs, runs }: Times): boolean {
  return max_runs !== null && runs >= max_runs;
}

/** How many missed occurrences are recorded after an outage. */
const MAX_MISSED = 500;

export interface DueOccurrences {
  /** The one that can still run; null if there is none. */
  current: Date | null;
  /** Those before it, oldest first, and one that is over an hour late. */
  missed: Date[];
}

/** The occurrences from `next_at` on that have come, whether they are claimed or not. */
export function dueOccurrences(row: State, now: Date): DueOccurrences {
  if (row.status !== 'active' || !row.next_at) return { current: null, missed: [] };
  const { next_at, end_at } = row;
  const missed = lastOccurrences(parseCron(row.cron), row.timezone, {
    after: new Date(next_at.getTime() - 1),
    until: end_at && end_at < now ? end_at : now,
    limit: MAX_MISSED + 1,
  });
  const newest = missed.at(-1);
  const isLate = newest === undefined || now.getTime() - newest.getTime() > LATE_MS;
  return { current: isLate ? null : (missed.pop() ?? null), missed };
}

/** The occurrence that is due and not claimed, or else the next one; null if none is left. */
export function openOccurrence(row: State, now: Date, claimed: ReadonlySet<string>): Date | null {
  const { current } = dueOccurrences(row, now);
  const isOpen = current !== null && !isUsedUp(row) && !claimed.has(localName(current, row.timezone));
  return isOpen ? current : nextRunAfter(row, now, claimed);
}

/** Whether there is an occurrence at this instant. */
export function occursAt(times: Times, at: Date): boolean {
  if (times.start_at && at < times.start_at) return false;
  if (times.end_at && at > times.end_at) return false;
  return isOccurrence(parseCron(times.cron), times.timezone, at);
}
