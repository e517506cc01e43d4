import { channels } from '../contract/common';
import type { Db } from '../db/pool';
import { loginSteps, type LoginStats, type LoginStep } from './contract';
import { countLoginDays, medianSecondsToConfirm, type DayCount } from './queries/stats';

export async function loginStats(db: Db, projectId: string, days: number): Promise<LoginStats> {
  const counts = await countLoginDays(db, projectId, days);
  const dates = [...new Set(counts.map(({ date }) => date))];
  const stepsInChat = loginSteps.filter((step) => step !== 'created');
  return {
    days: dates.map((date) => ({
      date,
      ...sums(
        counts.filter((count) => count.date === date),
        loginSteps,
      ),
    })),
    by_channel: Object.fromEntries(
      channels.map((channel) => [
        channel,
        sums(
          counts.filter((count) => count.channel === channel),
          stepsInChat,
        ),
      ]),
    ),
    median_seconds_to_confirm: await medianSecondsToConfirm(db, projectId, days),
  };
}

function sums<Step extends LoginStep>(counts: DayCount[], steps: readonly Step[]): Record<Step, number> {
  const entries = steps.map((step) => [
    step,
    counts.filter((count) => count.step === step).reduce((sum, { count }) => sum + count, 0),
  ]);
  return Object.fromEntries(entries) as Record<Step, number>;
}
