import type pg from 'pg';
import type { Channel } from '../../../base/contract/common';
import { notifyAfterCommit, notifyChannels } from '../../../base/db/notify';
import { withTransaction, type Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { sharedBotKey, storedBotKey } from '../bot-key';

export interface NewBotUpdate {
  dedupeKey: string;
  chatQueue: string;
  payload: unknown;
}

export interface ClaimedBotUpdate {
  id: number;
  channel: Channel;
  /** Null for the shared bot. */
  bot: string | null;
  payload: unknown;
  received_at: Date;
}

/**
 * Stores updates in order, without duplicates, together with the poll position. Inserts into one chat queue (column
 * `chat_queue`) are serialised by a lock, so a smaller id always becomes visible first and the oldest pending update of a
 * queue really is the oldest.
 */
export async function storeBotUpdates(
  pool: pg.Pool,
  channel: Channel,
  updates: NewBotUpdate[],
  position?: string,
  bot = sharedBotKey(channel),
): Promise<number> {
  return withTransaction(pool, async (db) => {
    const stored = updates.length === 0 ? 0 : await insertOnce(db, channel, bot, updates);
    if (position !== undefined) await savePosition(db, bot, position);
    if (stored > 0) notifyAfterCommit(db, notifyChannels.botUpdate);
    return stored;
  });
}

/** The prefix of an own bot's values, whose update ids and chats can be the same as those of another bot. */
export function ofBot(bot: string | null, value: string): string {
  return bot === null ? value : `${bot}/${value}`;
}

async function insertOnce(
  db: Db,
  channel: Channel,
  botKey: string,
  updates: NewBotUpdate[],
): Promise<number> {
  const bot = storedBotKey({ channel, bot: botKey });
  const chatQueues = updates.map((update) => ofBot(bot, update.chatQueue));
  await rows(
    db,
    'lock_chat_queues',
    `SELECT pg_advisory_xact_lock(key)
     FROM (SELECT DISTINCT hashtextextended('chat_queue/' || $1 || '/' || chat_queue, 0) AS key
           FROM unnest($2::text[]) AS chat_queue ORDER BY key) AS keys`,
    [channel, chatQueues],
  );
  return change(
    db,
    'insert_bot_updates',
    `INSERT INTO bot_updates (channel, bot, dedupe_key, chat_queue, payload)
     SELECT $1, $5, key, chat_queue, payload::json
     FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS given (key, chat_queue, payload, place)
     ORDER BY place
     ON CONFLICT (channel, dedupe_key) DO NOTHING`,
    [
      channel,
      updates.map((update) => ofBot(bot, update.dedupeKey)),
      chatQueues,
      updates.map((update) => JSON.stringify(update.payload) ?? 'null'),
      bot,
    ],
  );
}

async function savePosition(db: Db, bot: string, position: string): Promise<void> {
  await change(
    db,
    'save_bot_position',
    `INSERT INTO bot_offsets (bot, position, moved_at) VALUES ($1, $2, now())
     ON CONFLICT (bot) DO UPDATE SET position = excluded.position, moved_at = excluded.moved_at`,
    [bot, position],
  );
}

/**
 * The position from which to continue polling. A position older than a day is ignored: after a week without updates
 * Telegram restarts its ids, perhaps lower, and the dedupe keys filter out the updates that it still keeps.
 */
export async function findBotPosition(db: Db, bot: string): Promise<string | null> {
  const found = await row<{ position: string }>(
    db,
    'find_bot_position',
    `SELECT position FROM bot_offsets WHERE bot = $1 AND moved_at > now() - interval '1 day'`,
    [bot],
  );
  return found?.position ?? null;
}

/** How many updates of a bot a process may handle at once, so that a bot whose platform stalls holds up no other. */
export interface BotBounds {
  perBot: number;
  /** How many it handles now, by bot; the shared bot of a channel under the channel's name. */
  inFlight: ReadonlyMap<string, number>;
}

/** SQL: the updates that are the first of their chat queue (the trigger `advance_chat_queue`), as their indexes have them. */
const FIRST = 'due_at IS NOT NULL AND handled_at IS NULL AND set_aside_at IS NULL';

/**
 * Leases the oldest pending update of chat queues, unless it is already leased or its retry is not due. It reads one row for each
 * bot and those that it leases, however many updates wait. The time is `now()`, by which an index can be searched.
 */
export function claimBotUpdates(
  db: Db,
  limit: number,
  leaseSeconds: number,
  { perBot, inFlight }: BotBounds = { perBot: limit, inFlight: new Map() },
): Promise<ClaimedBotUpdate[]> {
  return rows<ClaimedBotUpdate>(
    db,
    'claim_bot_updates',
    `WITH RECURSIVE bots AS (
       (SELECT coalesce(bot, channel) AS bot FROM bot_updates WHERE ${FIRST} ORDER BY coalesce(bot, channel) LIMIT 1)
       UNION ALL
       SELECT (SELECT coalesce(u.bot, u.channel) FROM bot_updates u
               WHERE ${FIRST} AND coalesce(u.bot, u.channel) > bots.bot ORDER BY coalesce(u.bot, u.channel) LIMIT 1)
       FROM bots WHERE bots.bot IS NOT NULL
     ), due AS MATERIALIZED (
       SELECT first.id FROM bots LEFT JOIN unnest($3::text[], $4::int[]) AS busy (bot, count) USING (bot)
         CROSS JOIN LATERAL (
           SELECT u.id, u.due_at FROM bot_updates u
           WHERE ${FIRST} AND coalesce(u.bot, u.channel) = bots.bot AND due_at <= now()
           ORDER BY u.due_at LIMIT greatest(0, $5 - coalesce(busy.count, 0))
         ) AS first
       ORDER BY first.due_at, first.id LIMIT $1
     )
     UPDATE bot_updates AS update
     SET due_at = clock_timestamp() + make_interval(secs => $2)
     FROM due
     -- Rechecked on the locked row: another process may have claimed it meanwhile. Not IS NULL: by the index of those that
     -- wait, every one of them would be read.
     WHERE update.id = due.id AND num_nulls(update.handled_at, update.set_aside_at) = 2
       AND update.due_at <= clock_timestamp()
     RETURNING update.id, update.channel, update.bot, update.payload, update.received_at`,
    [limit, leaseSeconds, [...inFlight.keys()], [...inFlight.values()], perBot],
  );
}

export async function extendBotUpdateLeases(db: Db, ids: number[], leaseSeconds: number): Promise<void> {
  await change(
    db,
    'extend_bot_update_leases',
    `UPDATE bot_updates SET due_at = clock_timestamp() + make_interval(secs => $2)
     WHERE id = ANY($1::bigint[]) AND ${FIRST}`,
    [ids, leaseSeconds],
  );
}

/** Only the key that recognises a duplicate stays: payload and chat queue name a person. */
export async function markBotUpdateHandled(db: Db, id: number): Promise<void> {
  await change(
    db,
    'mark_bot_update_handled',
    `UPDATE bot_updates SET handled_at = clock_timestamp(), payload = NULL, chat_queue = '', last_error = NULL, due_at = NULL
     WHERE id = $1 AND handled_at IS NULL`,
    [id],
  );
}

export interface FailedBotUpdate {
  error: string;
  retryMs: number;
  /**
   * A transient failure, such as an unreachable platform, does not count; the update is set aside only after a day. It
   * waits longer the longer the outage lasts: half the update's age, at most half a minute.
   */
  transient: boolean;
  firstRetryMs: number;
  maxFailures: number;
}

/** Schedules the next retry or sets the update aside, and returns which. */
export async function markBotUpdateFailed(
  db: Db,
  id: number,
  { error, transient, retryMs, firstRetryMs, maxFailures }: FailedBotUpdate,
): Promise<{ failures: number; waitMs: number; setAside: boolean } | null> {
  return row(
    db,
    'mark_bot_update_failed',
    `WITH failed AS (
       SELECT id, failures + CASE WHEN $3 THEN 0 ELSE 1 END AS failures,
         CASE WHEN $3 THEN received_at < now() - interval '1 day' ELSE failures + 1 >= $6 END AS is_over,
         -- Exponential backoff, at most five minutes.
         CASE WHEN $3
           THEN greatest($4::float8, least(extract(epoch FROM clock_timestamp() - received_at)::float8 * 500, 30000))
           ELSE least($5::float8 * power(2, failures), 300000) END AS wait_ms
       FROM bot_updates WHERE id = $1 AND handled_at IS NULL
     )
     UPDATE bot_updates AS update
     SET failures = failed.failures, last_error = $2,
       due_at = CASE WHEN NOT failed.is_over THEN clock_timestamp() + make_interval(secs => failed.wait_ms / 1000.0) END,
       set_aside_at = CASE WHEN failed.is_over THEN clock_timestamp() END
     FROM failed WHERE update.id = failed.id
     RETURNING update.failures, failed.wait_ms::float8 AS "waitMs", failed.is_over AS "setAside"`,
    [id, error, transient, retryMs, firstRetryMs, maxFailures],
  );
}
