import type pg from 'pg';
import { withTransaction, type Db } from '../../../base/db/pool';
import { change, row } from '../../../base/db/query';

/**
 * A rate limit that all processes share (GCRA). A row holds the time at which the next call may be made; a sender
 * advances it under the row lock. Times are the database's.
 */
export interface Pace {
  perSecond: number;
  /** Unused time, in seconds, that may be made up in a burst. */
  burstSeconds: number;
}

/** A bot makes up for a stall of this length, within the platform's limit for any second. */
const BOT_BURST_SECONDS = 0.4;

export function botPace(perSecond: number): Pace {
  return { perSecond, burstSeconds: BOT_BURST_SECONDS };
}

/** Telegram allows about one message per second in a chat. */
export const CHAT_SECONDS_PER_CALL = 1;

/** SQL: seconds since the next call could have been made; if negative, seconds until it may be. */
export function allowanceOf(column: string): string {
  return `least(86400, extract(epoch FROM clock_timestamp() - greatest(${column}, now() - interval '1 day')))::float8`;
}

/** SQL: when the next call may be made after `calls` more, which `allowedCalls` has granted. */
export function nextTimeAfter(
  column: string,
  calls: string,
  perSecond: string,
  burstSeconds: number,
): string {
  return `greatest(${column}, clock_timestamp() - make_interval(secs => ${burstSeconds}))
    + make_interval(secs => ${calls}::float8 / ${perSecond}::float8)`;
}

/** SQL: the key of a chat in `chat_pace`. */
export function chatKeyOf(bot: string, chatId: string): string {
  return `hashtextextended(${bot} || '/' || ${chatId}, 0)`;
}

/** How many of the `wanted` calls may be made now. */
export function allowedCalls(allowance: number, wanted: number, { perSecond, burstSeconds }: Pace): number {
  if (allowance < 0) return 0;
  return Math.min(wanted, Math.floor(Math.min(allowance, burstSeconds) * perSecond) + 1);
}

/**
 * How long a process that stalls in its transaction can hold the lock of a bot; the database then ends the session. Shorter
 * than the lock timeout, so that messages which wait for the lock still get it.
 */
const MAX_STALL = '3s';

/** Locks the bot's pace, under which chats and turns of the bot change, and returns its allowance. */
export async function lockBotPace(db: Db, bot: string): Promise<number> {
  const known = await lockExistingPace(db, bot);
  if (known) return known.allowance;
  // The retention has deleted the row of a bot that was removed and connected again.
  await ensureBotPace(db, bot);
  const found = await lockExistingPace(db, bot);
  if (!found) throw new Error(`bot_pace has no row for the bot ${bot}`);
  return found.allowance;
}

export function ensureBotPace(db: Db, bot: string): Promise<number> {
  return change(
    db,
    'ensure_bot_pace',
    'INSERT INTO bot_pace (bot) VALUES ($1) ON CONFLICT (bot) DO NOTHING',
    [bot],
  );
}

function lockExistingPace(db: Db, bot: string): Promise<{ allowance: number } | null> {
  return row(
    db,
    'lock_bot_pace',
    `SELECT ${allowanceOf('next_at')} AS allowance,
       set_config('idle_in_transaction_session_timeout', '${MAX_STALL}', true)
     FROM bot_pace WHERE bot = $1 FOR UPDATE`,
    [bot],
  );
}

export function consumeBotPace(db: Db, bot: string, calls: number, perSecond: number): Promise<number> {
  return change(
    db,
    'consume_bot_pace',
    `UPDATE bot_pace SET next_at = ${nextTimeAfter('next_at', '$2', '$3', BOT_BURST_SECONDS)} WHERE bot = $1`,
    [bot, calls, perSecond],
  );
}

/** How far calls that did not wait, such as login questions, can push back the others. */
const MAX_DEBT_SECONDS = 1;

/** Counts calls that were made without waiting for a turn. */
export function countUnpacedCalls(db: Db, bot: string, calls: number, perSecond: number): Promise<number> {
  return change(
    db,
    'count_unpaced_calls',
    `UPDATE bot_pace SET next_at = greatest(next_at, least(${nextTimeAfter('next_at', '$2', '$3', BOT_BURST_SECONDS)},
       clock_timestamp() + make_interval(secs => ${MAX_DEBT_SECONDS})))
     WHERE bot = $1`,
    [bot, calls, perSecond],
  );
}

/** A 429 does not say whether it is for the chat or for the bot. So many chats at once mean the bot. */
const THROTTLED_CHATS = 3;
const THROTTLED_SECONDS = 5;
const DEFAULT_PAUSE_MS = 1_000;

/**
 * Records the platform's 429: the chat waits as long as the platform asks. The whole bot waits if the platform has
 * throttled three of its chats within five seconds.
 */
export function recordThrottled(
  pool: pg.Pool,
  bot: string,
  chatId: string,
  retryAfterMs: number | null,
): Promise<void> {
  const waitMs = retryAfterMs ?? DEFAULT_PAUSE_MS;
  return withTransaction(pool, async (db) => {
    await lockBotPace(db, bot);
    await change(
      db,
      'throttle_chat',
      `INSERT INTO chat_pace (chat, bot, next_at, throttled_at)
       VALUES (${chatKeyOf('$1::text', '$2::text')}, $1, clock_timestamp() + make_interval(secs => $3::float8 / 1000),
         clock_timestamp())
       ON CONFLICT (chat) DO UPDATE
       SET next_at = greatest(chat_pace.next_at, excluded.next_at), throttled_at = excluded.throttled_at`,
      [bot, chatId, waitMs],
    );
    await change(
      db,
      'pause_throttled_bot',
      `UPDATE bot_pace
       SET next_at = greatest(next_at, clock_timestamp() + make_interval(secs => $2::float8 / 1000))
       WHERE bot = $1 AND (
         SELECT count(*) FROM chat_pace
         WHERE bot = $1 AND throttled_at > clock_timestamp() - make_interval(secs => ${THROTTLED_SECONDS})
       ) >= ${THROTTLED_CHATS}`,
      [bot, waitMs],
    );
  });
}
