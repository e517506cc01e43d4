import type { Channel } from '../../contract/common';
import type { Db } from '../../db/pool';
import { change, row } from '../../db/query';

/**
 * A pace is a moment in a row: when the next message may go. Whoever sends moves it on by what it takes, under the
 * row's lock, so that any number of processes hold the pace together. Times are the database's.
 */
export interface Pace {
  perSecond: number;
  /** How far back an idle time may be made up for, in seconds. */
  slackSeconds: number;
}

/**
 * A bot has two: the average that was asked for, which makes up for moments when the machine was busy, and a peak a
 * fifth above it, so that what is made up for stays within what a platform takes in any second.
 */
export function channelPaces(perSecond: number): { average: Pace; peak: Pace } {
  return {
    average: { perSecond, slackSeconds: 3 },
    peak: { perSecond: perSecond * 1.2, slackSeconds: 0.15 },
  };
}

/** Seconds since the next message could have gone; negative: seconds until it may. */
export function creditOf(column: string): string {
  return `least(86400, extract(epoch FROM clock_timestamp() - greatest(${column}, now() - interval '1 day')))::float8`;
}

/** The moment after `messages` more, which the caller has found affordable. */
export function spent(column: string, messages: string, perSecond: string, slackSeconds: number): string {
  return `greatest(${column}, clock_timestamp() - make_interval(secs => ${slackSeconds}))
    + make_interval(secs => ${messages}::float8 / ${perSecond}::float8)`;
}

/** How many of `wanted` messages a credit is good for. */
export function affordable(credit: number, wanted: number, { perSecond, slackSeconds }: Pace): number {
  if (credit < 0) return 0;
  return Math.min(wanted, Math.floor(Math.min(credit, slackSeconds) * perSecond) + 1);
}

export interface ChannelCredit {
  average: number;
  peak: number;
}

export async function lockChannelPace(db: Db, channel: Channel): Promise<ChannelCredit> {
  const found = await row<ChannelCredit>(
    db,
    'lock_channel_pace',
    `SELECT ${creditOf('greatest(next_at, paused_until)')} AS average, ${creditOf('peak_at')} AS peak
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
  const { average, peak } = channelPaces(perSecond);
  return change(
    db,
    'spend_channel_pace',
    `UPDATE channel_pace SET
       next_at = ${spent('greatest(next_at, paused_until)', '$2', '$3', average.slackSeconds)},
       peak_at = ${spent('peak_at', '$2', '$4', peak.slackSeconds)}
     WHERE channel = $1`,
    [channel, messages, average.perSecond, peak.perSecond],
  );
}

/** The platform asked for a pause: nothing of the channel's pace is given out until it is over. */
export function pauseChannel(db: Db, channel: Channel, ms: number): Promise<number> {
  return change(
    db,
    'pause_channel',
    `UPDATE channel_pace
     SET paused_until = greatest(paused_until, clock_timestamp() + make_interval(secs => $2::float8 / 1000))
     WHERE channel = $1`,
    [channel, ms],
  );
}
