import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';

interface MonthUsage {
  month: string;
  plan_used: number;
  logins: number;
  purchased_credits: number;
  grace_ends_at: Date | null;
}

const MONTH = `date_trunc('month', clock_timestamp() AT TIME ZONE 'UTC')`;

/** Usage of the current month (UTC, by the database clock). */
export async function readMonthUsage(db: Db, projectId: string, graceHours: number): Promise<MonthUsage> {
  const found = await row<MonthUsage>(
    db,
    'month_usage',
    `SELECT to_char(${MONTH}, 'YYYY-MM') AS month, coalesce(m.used, 0) AS plan_used, p.purchased_credits,
       (SELECT count(*)::int FROM credit_ledger l
        WHERE l.project_id = p.id AND l.charged_at >= ${MONTH} AT TIME ZONE 'UTC') AS logins,
       CASE WHEN (p.grace_started_at AT TIME ZONE 'UTC') >= ${MONTH}
         THEN p.grace_started_at + make_interval(secs => $2::float8 * 3600) END AS grace_ends_at
     FROM projects p LEFT JOIN credit_months m ON m.project_id = p.id AND m.month = ${MONTH}
     WHERE p.id = $1`,
    [projectId, graceHours],
  );
  if (!found) throw new Error('the project no longer exists');
  return found;
}

/** Logins per day for the last `days` days in UTC, oldest first, including days without logins. */
export function loginsByDay(
  db: Db,
  projectId: string,
  days: number,
): Promise<{ date: string; logins: number }[]> {
  return rows<{ date: string; logins: number }>(
    db,
    'logins_by_day',
    `WITH days AS (
       SELECT generate_series(today - $2::int + 1, today, '1 day')::date AS day
       FROM (SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date AS today) t),
     logins AS (
       SELECT (charged_at AT TIME ZONE 'UTC')::date AS day, count(*)::int AS logins FROM credit_ledger
       WHERE project_id = $1 AND charged_at > now() - make_interval(days => $2::int + 1) GROUP BY 1)
     SELECT to_char(days.day, 'YYYY-MM-DD') AS date, coalesce(logins.logins, 0) AS logins
     FROM days LEFT JOIN logins USING (day) ORDER BY days.day`,
    [projectId, days],
  );
}

/** Of the last 12 months, newest first. A month without a login of the plan has no row. */
export function planLoginsByMonth(
  db: Db,
  projectId: string,
): Promise<{ month: string; plan_logins_used: number }[]> {
  return rows<{ month: string; plan_logins_used: number }>(
    db,
    'plan_logins_by_month',
    `SELECT to_char(month, 'YYYY-MM') AS month, used AS plan_logins_used FROM credit_months
     WHERE project_id = $1 AND month > ${MONTH} - interval '12 months' ORDER BY credit_months.month DESC`,
    [projectId],
  );
}
