import { limits } from '../../contract/limits';
import { isOccurrence, lastOccurrences, localName, nextOccurrence, parseCron } from './cron';
import type { RecurringRow } from './queries';

type Plan = Pick<RecurringRow, 'cron' | 'timezone' | 'start_at' | 'end_at' | 'max_runs' | 'runs'>;

/** Skipped occurrences that are passed over before giving up. */
const MAX_PASSED = 500;

/** An occurrence that is later than this is missed. */
export const LATE_MS = limits.recurringLateMinutes * 60_000;

/** The first occurrence after an instant that is not claimed; null if the plan has none. */
export function nextRunAfter(plan: Plan, after: Date, claimed: ReadonlySet<string> = new Set()): Date | null {
  return firstFree(plan, after, claimed) ?? null;
}

/** Whether no run by the plan is to come. An occurrence that was due in the last hour and is not claimed still runs. */
export function isOver(
  row: Plan & Pick<RecurringRow, 'status' | 'planned_at'>,
  now: Date,
  claimed: ReadonlySet<string>,
): boolean {
  if (row.status === 'ended') return true;
  const since = Math.max(row.planned_at.getTime(), now.getTime() - LATE_MS);
  return firstFree(row, row.status === 'paused' ? now : new Date(since), claimed) === null;
}

/** How many missed occurrences are recorded after an outage. */
const MAX_MISSED = 500;

export interface DueOccurrences {
  /** The one that can still run; null if there is none. */
  current: Date | null;
  /** Those before it, oldest first, and one that is over an hour late. */
  missed: Date[];
}

/** The occurrences that have come since `planned_at`, whether they are claimed or not. */
export function dueOccurrences(
  row: Plan & Pick<RecurringRow, 'status' | 'planned_at'>,
  now: Date,
): DueOccurrences {
  if (row.status !== 'active') return { current: null, missed: [] };
  const { planned_at, start_at, end_at } = row;
  const missed = lastOccurrences(parseCron(row.cron), row.timezone, {
    // An occurrence at the very start or end counts.
    after: start_at && start_at > planned_at ? new Date(start_at.getTime() - 1) : planned_at,
    until: end_at && end_at < now ? end_at : now,
    limit: MAX_MISSED + 1,
  });
  const newest = missed.at(-1);
  const isLate = newest === undefined || now.getTime() - newest.getTime() > LATE_MS;
  return { current: isLate ? null : (missed.pop() ?? null), missed };
}

/** Null if the plan has none; undefined if too many are claimed to know. */
function firstFree(plan: Plan, after: Date, claimed: ReadonlySet<string>): Date | null | undefined {
  if (plan.max_runs !== null && plan.runs >= plan.max_runs) return null;
  const cron = parseCron(plan.cron);
  // An occurrence at the very start counts.
  const start = plan.start_at && plan.start_at > after ? new Date(plan.start_at.getTime() - 1) : after;
  let at: Date | null = start;
  for (let passed = 0; passed < MAX_PASSED; passed += 1) {
    at = nextOccurrence(cron, plan.timezone, at);
    if (!at || (plan.end_at && at > plan.end_at)) return null;
    if (!claimed.has(localName(at, plan.timezone))) return at;
  }
  return undefined;
}

/** Whether the plan has an occurrence at this instant: a schedule that was changed by hand can fire at any time. */
export function isPlanned(plan: Plan, at: Date): boolean {
  if (plan.start_at && at < plan.start_at) return false;
  if (plan.end_at && at > plan.end_at) return false;
  return isOccurrence(parseCron(plan.cron), plan.timezone, at);
}
