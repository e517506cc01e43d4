import {
  type Client,
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type CalendarSpec,
  type ScheduleDescription,
  type ScheduleOptions,
} from '@temporalio/client';
import type { recurringRun } from '../../../workflows/recurring-run';
import { workflowIds, type TaskQueues } from '../../temporal/names';
import { parseCron, type Cron } from './cron';
import { LATE_MS } from './occurrences';
import type { RecurringRow } from './queries';

const noteOf = ({ revision }: RecurringRow) => `revision ${revision}`;
const OWN_NOTE = /^revision (\d+)$/;

const MONTHS = [
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
] as const;
const WEEKDAYS = ['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY'] as const;

/** As values, not as text: what a server makes of an expression need not be what Herald makes of it. */
function calendarOf(cron: Cron): CalendarSpec {
  return {
    second: 0,
    minute: cron.minute,
    hour: cron.hour,
    dayOfMonth: cron.day,
    month: cron.month.map((value) => MONTHS[value - 1] ?? 'JANUARY'),
    dayOfWeek: cron.weekday.map((value) => WEEKDAYS[value] ?? 'SUNDAY'),
  };
}

function wanted(row: RecurringRow, queues: TaskQueues) {
  const { id, timezone, start_at, end_at } = row;
  return {
    spec: {
      calendars: [{ ...calendarOf(parseCron(row.cron)), comment: row.cron }],
      timezone,
      ...(start_at && { startAt: start_at }),
      ...(end_at && { endAt: end_at }),
    },
    action: {
      type: 'startWorkflow' as const,
      workflowType: 'recurringRun',
      taskQueue: queues.broadcasts,
      workflowId: workflowIds.recurringRun(id),
      args: [{ recurringId: id }] as Parameters<typeof recurringRun>,
    },
    policies: { overlap: ScheduleOverlapPolicy.BUFFER_ALL, catchupWindow: LATE_MS },
    state: { paused: row.status === 'paused', note: noteOf(row) },
  };
}

export type SyncResult = 'same' | 'created' | 'changed' | 'repaired' | 'deleted';

/**
 * Makes the schedule a copy of its row. `repaired`: an operator has changed the schedule by hand; `changed`: it was a copy
 * of an earlier revision.
 */
export async function syncSchedule(
  client: Client,
  queues: TaskQueues,
  row: RecurringRow,
): Promise<SyncResult> {
  const scheduleId = workflowIds.recurring(row.id);
  const handle = client.schedule.getHandle(scheduleId);
  const found = await describeOrNull(() => handle.describe());
  if (row.status === 'ended') {
    if (!found) return 'same';
    await deleteSchedule(client, scheduleId);
    return 'deleted';
  }
  const copy = wanted(row, queues);
  if (!found) {
    try {
      await client.schedule.create({ scheduleId, ...copy } as ScheduleOptions);
      return 'created';
    } catch (error) {
      // Another process has created it since.
      if (error instanceof ScheduleAlreadyRunning) return syncSchedule(client, queues, row);
      throw error;
    }
  }
  if (differences(found, row, queues).length === 0) return 'same';
  const revision = OWN_NOTE.exec(found.state.note ?? '')?.[1];
  await handle.update(() => copy as never);
  return revision === undefined || revision === String(row.revision) ? 'repaired' : 'changed';
}

/** Another process may have deleted it. */
export async function deleteSchedule(client: Client, scheduleId: string): Promise<void> {
  try {
    await client.schedule.getHandle(scheduleId).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
  }
}

export async function describeOrNull(
  describe: () => Promise<ScheduleDescription>,
): Promise<ScheduleDescription | null> {
  try {
    return await describe();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) return null;
    throw error;
  }
}

/** The fields in which a schedule is not a copy of its row, as an operator calls them. */
export function differences(
  { state, spec, policies, action }: ScheduleDescription,
  row: RecurringRow,
  queues: TaskQueues,
): string[] {
  const same: Record<string, boolean> = {
    'cron expression': hasTimesOf(spec, row),
    revision: state.note === noteOf(row),
    paused: state.paused === (row.status === 'paused'),
    'time zone': (spec.timezone ?? 'UTC') === row.timezone,
    'overlap policy': policies.overlap === ScheduleOverlapPolicy.BUFFER_ALL,
    'catch-up window': policies.catchupWindow === LATE_MS,
    start: isSameTime(spec.startAt, row.start_at),
    end: isSameTime(spec.endAt, row.end_at),
    workflow: action.workflowType === 'recurringRun' && action.taskQueue === queues.broadcasts,
  };
  return Object.keys(same).filter((field) => !same[field]);
}

function hasTimesOf(spec: ScheduleDescription['spec'], row: RecurringRow): boolean {
  const cron = parseCron(row.cron);
  const [calendar, ...others] = spec.calendars ?? [];
  return (
    calendar !== undefined &&
    others.length === 0 &&
    (spec.intervals ?? []).length === 0 &&
    valuesIn(calendar.minute, Number) === cron.minute.join() &&
    valuesIn(calendar.hour, Number) === cron.hour.join() &&
    valuesIn(calendar.dayOfMonth, Number) === cron.day.join() &&
    valuesIn(calendar.month, (name) => MONTHS.indexOf(name as never) + 1) === cron.month.join() &&
    valuesIn(calendar.dayOfWeek, (name) => WEEKDAYS.indexOf(name as never)) === cron.weekday.join()
  );
}

/** The values of ranges as the server describes them, sorted. */
function valuesIn(ranges: unknown, numberOf: (value: string) => number): string {
  const list = (Array.isArray(ranges) ? ranges : [ranges]) as {
    start: unknown;
    end?: unknown;
    step?: number;
  }[];
  const values = list.flatMap(({ start, end = start, step = 1 }) => {
    const [from, to] = [numberOf(String(start)), numberOf(String(end))];
    return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
  });
  return [...new Set(values)].sort((a, b) => a - b).join();
}

/** The server keeps whole seconds. */
function isSameTime(found: Date | undefined, wantedTime: Date | null): boolean {
  const seconds = (time: Date | null | undefined) => (time ? Math.floor(time.getTime() / 1000) : null);
  return seconds(found) === seconds(wantedTime);
}
