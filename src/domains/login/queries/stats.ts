import type { Channel } from '../../../base/contract/common';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import type { LoginStep } from '../contract';

export interface DayCount {
  /** In UTC. */
  date: string;
  /** Null for a day without logins. */
  step: LoginStep | null;
  /** Empty until the link was opened. */
  channel: Channel | '';
  count: number;
}

const FROM_DAY = `(now() AT TIME ZONE 'UTC')::date - ($2::int - 1)`;

/** At least one row for each of the last days, the oldest day first. */
export function countLoginDays(db: Db, projectId: string, days: number): Promise<DayCount[]> {
  return rows<DayCount>(
    db,
    'count_login_days',
    `SELECT to_char(each.day, 'YYYY-MM-DD') AS date, d.step, coalesce(d.channel, '') AS channel,
       coalesce(sum(d.count), 0)::int AS count
     FROM generate_series((${FROM_DAY})::timestamp, (now() AT TIME ZONE 'UTC')::date::timestamp, interval '1 day') AS each (day)
       LEFT JOIN auth_days d ON d.project_id = $1 AND d.day = each.day::date
     GROUP BY 1, 2, 3 ORDER BY 1`,
    [projectId, days],
  );
}

export async function medianSecondsToConfirm(
  db: Db,
  projectId: string,
  days: number,
): Promise<number | null> {
  const found = await row<{ seconds: number }>(
    db,
    'median_seconds_to_confirm',
    `SELECT seconds FROM (
       SELECT seconds, sum(sum(count)) OVER (ORDER BY seconds) AS so_far, sum(sum(count)) OVER () AS total
       FROM auth_days WHERE project_id = $1 AND day >= ${FROM_DAY} AND step = 'confirmed' GROUP BY seconds) counted
     WHERE so_far * 2 >= total ORDER BY seconds LIMIT 1`,
    [projectId, days],
  );
  return found?.seconds ?? null;
}
