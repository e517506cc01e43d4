import type { Channel } from '../contracts/common';
import type { Db } from './pool';
import { change, row } from './query';

/**
 * A pace is one moment in a row: when the next message may go. Whoever sends moves it on by what it takes, under the
 * row's lock, so that any number of processes hold the pace together. Times are the database's.
 */
export interface PaceCredit {
  /** Seconds since the next message could have gone; negative: seconds until it may. */
  credit: number;
}

/** What an idle moment may be made up for, in seconds: small, because platforms count every second. */
export const PACE_BURST_SECONDS = 0.2;

export async function lockChannelPace(db: Db, channel: Channel): Promise<PaceCredit> {
  const found = await row<PaceCredit>(
    db,
    'lock_channel_pace',
    `SELECT least(86400, greatest(-86400,
       extract(epoch FROM clock_timestamp() - greatest(next_at, paused_until, now() - interval '1 day'))))::float8 AS credit
     FROM channel_pace WHERE channel = $1 FOR UPDATE`,
    [channel],
  );
  if (!found) throw new Error(`there is no pace for ${channel}`);
  return found;
}

export function spendChannelPace(
  db: Db,
  channel: Channel,
  messages: number,
  perSecond: number,
): Promise<number> {
  return change(
    db,
    'spend_channel_pace',
    `UPDATE channel_pace SET next_at =
       greatest(next_at, paused_until, clock_timestamp() - make_interval(secs => ${PACE_BURST_SECONDS}))
       + make_interval(secs => $2::float8 / $3::float8)
     WHERE channel = $1`,
    [channel, messages, perSecond],
  );
}

/** The platform asked for a pause: nothing of the channel's pace is given out until it is over. */
export function pauseChannel(db: Db, channel: Channel, ms: number): Promise<number> {
  return change(
    db,
    'pause_channel',
    `UPDATE channel_pace SET paused_until = greatest(paused_until, clock_timestamp() + make_interval(secs => $2::float8 / 1000))
     WHERE channel = $1`,
    [channel, ms],
  );
}

/** How many of `wanted` messages a credit is good for. */
export function affordable({ credit }: PaceCredit, wanted: number, perSecond: number): number {
  if (credit < 0) return 0;
  return Math.min(wanted, Math.floor(Math.min(credit, PACE_BURST_SECONDS) * perSecond) + 1);
}
