import type { Db } from '../../base/db/pool';
import { buttonTextsOf } from '../messages';
import type { JobKind, JobStats } from './contract';
import type { BroadcastRow } from './queries/broadcasts';
import { countClicks, countReasons, countUnsubscribedOf, ownButtonTexts } from './queries/stats';

const BUTTONS_SHOWN = 100;

/** Everything is counted from the rows of the job: its recipients, and the taps that name it. */
export async function statsOf(db: Db, kind: JobKind, job: BroadcastRow): Promise<JobStats> {
  const { id, sent, failed, skipped, total } = job;
  return {
    sent,
    failed,
    skipped,
    queued: total - sent - failed - skipped,
    total,
    reasons: await reasonsOf(db, job),
    buttons: await buttonsOf(db, kind, job),
    unsubscribed: await countUnsubscribedOf(db, id),
  };
}

async function reasonsOf(db: Db, { id, skipped }: BroadcastRow): Promise<JobStats['reasons']> {
  const counted = await countReasons(db, id);
  const withRow = counted
    .filter(({ status }) => status === 'skipped')
    .reduce((sum, { count }) => sum + count, 0);
  const counts = new Map<JobStats['reasons'][number]['reason'], number>();
  const add = (reason: JobStats['reasons'][number]['reason'], count: number) => {
    if (count > 0) counts.set(reason, (counts.get(reason) ?? 0) + count);
  };
  for (const { reason, count } of counted) add(reason, count);
  // Those without a row were not copied before the broadcast was cancelled.
  add('cancelled', skipped - withRow);
  return [...counts]
    .map(([reason, count]) => ({ reason, count }))
    .sort((a, b) => b.count - a.count || a.reason.localeCompare(b.reason));
}

async function buttonsOf(db: Db, kind: JobKind, { id, content }: BroadcastRow): Promise<JobStats['buttons']> {
  const texts = [...buttonTextsOf(content), ...(await ownButtonTexts(db, id, kind))];
  const untapped = texts.map((text) => [text, { text, clicks: 0, people: 0 }] as const);
  const buttons = new Map<string, JobStats['buttons'][number]>(untapped);
  for (const tapped of await countClicks(db, id)) buttons.set(tapped.text, tapped);
  return [...buttons.values()].sort((a, b) => b.clicks - a.clicks).slice(0, BUTTONS_SHOWN);
}
