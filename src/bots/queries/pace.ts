import type { Channel } from '../../contract/common';
import type { Db } from '../../db/pool';
import { change, row } from '../../db/query';

/**
 * A rate limit that all processes share (GCRA). A row holds the time at which the next message may be sent; a sender
 * advances it under the row lock. Times are the database's.
 */
export interface Pace {
  perSecond: number;
  /** Unused time, in seconds, that may be made up in a burst. */
  burstSeconds: number;
}

/**
 * A bot has two: the configured average, which may catch up after a busy moment of the machine, and a peak 20% above
 * it, which keeps the catch-up within the platform's limit for any second.
 */
export function channelPaces(perSecond: number): { average: Pace; peak: Pace } {
  return {
    average: { perSecond, burstSeconds: 3 },
    peak: { perSecond: perSecond * 1.2, burstSeconds: 0.15 },
  };
}

/** SQL: seconds since the next message could have been sent; if negative, seconds until it may be. */
export function allowanceOf(column: string): string {
  return `least(86400, extract(epoch FROM clock_timestamp() - greatest(${column}, now() - interval '1 day')))::float8`;
}

/** SQL: when the next message may be sent after `messages` more, which `allowedMessages` has granted. */
export function nextTimeAfter(
  column: string,
  messages: string,
  perSecond: string,
  burstSeconds: number,
): string {
  return `greatest(${column}, clock_timestamp() - make_interval(secs => ${burstSeconds}))
    + make_interval(secs => ${messages}::float8 / ${perSecond}::float8)`;
}

/** How many of the `wanted` messages may be sent now. */
export function allowedMessages(
  allowance: number,
  wanted: number,
  { perSecond, burstSeconds }: Pace,
): number {
  if (allowance < 0) return 0;
  return Math.min(wanted, Math.floor(Math.min(allowance, burstSeconds) * perSecond) + 1);
}

export interface ChannelAllowance {
  average: number;
  peak: number;
}

export async function lockChannelPace(db: Db, channel: Channel): Promise<ChannelAllowance> {
  const found = await row<ChannelAllowance>(
    db,
    'lock_channel_pace',
    `SELECT ${allowanceOf('greatest(next_at, paused_until)')} AS average, ${allowanceOf('peak_at')} AS peak
     FROM channel_pace WHERE channel = $1 FOR UPDATE`,
    [channel],
  );
  if (!found) throw new Error(`channel_pace has no row for ${channel}`);
  return found;
}

export function consumeChannelPace(
  db: Db,
  channel: Channel,
  messages: number,
  perSecond: number,
): Promise<number> {
  const { average, peak } = channelPaces(perSecond);
  return change(
    db,
    'consume_channel_pace',
    `UPDATE channel_pace SET
       next_at = ${nextTimeAfter('greatest(next_at, paused_until)', '$2', '$3', average.burstSeconds)},
       peak_at = ${nextTimeAfter('peak_at', '$2', '$4', peak.burstSeconds)}
     WHERE channel = $1`,
    [channel, messages, average.perSecond, peak.perSecond],
  );
}

/** Throttles the whole channel, for example after the platform's 429. */
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
