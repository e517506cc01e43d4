import { t } from '../texts';
import { repeatOf } from './repeat';

/** "Every Monday at 09:00"; an expression that is more than that stays as it is. */
export function repeatText(cron: string): string {
  const { every, weekdays, monthDay, time } = repeatOf(cron);
  if (every === 'day') return t.everyDayAt(time);
  if (every === 'week') return t.everyWeekAt(weekdays, time);
  if (every === 'month') return t.everyMonthAt(monthDay, time);
  return cron;
}
