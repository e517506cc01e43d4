import { channels } from '../../base/contract/common';
import type { Db } from '../../base/db/pool';
import { loginSteps, type LoginStats, type LoginStep } from './contract';
import { countLoginDays, medianSecondsToConfirm, type DayCount } from './queries/stats';

export async function loginStats(db: Db, projectId: string, days: number): Promise<LoginStats> {
  const counts = await countLoginDays(db, projectId, days);
  const dates = [...new Set(counts.map(({ date }) => date))];
  return {
    days: dates.map((date) => ({ date, ...sums(counts.filter((count) => count.date === date)) })),
    by_channel: Object.fromEntries(
      channels.map((channel) => [channel, inChannel(counts.filter((count) => count.channel === channel))]),
    ),
    median_seconds_to_confirm: await medianSecondsToConfirm(db, projectId, days),
  };
}

/** Only a static link has its messenger when it is created. Other logins count as created in the one that opens them. */
function inChannel(counts: DayCount[]): Record<LoginStep, number> {
  const { created, opened, ...others } = sums(counts);
  return { created: Math.max(created, opened), opened, ...others };
}

function sums(counts: DayCount[]): Record<LoginStep, number> {
  const entries = loginSteps.map((step) => [
    step,
    counts.filter((count) => count.step === step).reduce((sum, { count }) => sum + count, 0),
  ]);
  return Object.fromEntries(entries) as Record<LoginStep, number>;
}
