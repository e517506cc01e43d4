import type { Channel } from '../../../base/contract/common';
import { notifyAfterCommit, notifyChannels } from '../../../base/db/notify';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { ensureBotPace } from './pace';

/** `away`: the platform does not respond, or refuses the token. `off`: there is no bot. */
export type BotStatus = 'connected' | 'away' | 'off';

export interface OwnBotRow {
  id: string;
  project_id: string;
  channel: Channel;
  /** See `ownBotKey`. */
  bot: string;
  username: string;
  token_sealed: string;
  status: BotStatus;
  /** The platform's text; null while the bot is connected. */
  error: string | null;
}

const COLUMNS = 'id, project_id, channel, bot, username, token_sealed, status, error';

export function listOwnBots(db: Db): Promise<OwnBotRow[]> {
  return rows<OwnBotRow>(db, 'list_own_bots', `SELECT ${COLUMNS} FROM project_bots ORDER BY id`);
}

export function listProjectBots(db: Db, projectId: string): Promise<OwnBotRow[]> {
  return rows<OwnBotRow>(
    db,
    'list_project_bots',
    `SELECT ${COLUMNS} FROM project_bots WHERE project_id = $1`,
    [projectId],
  );
}

export function findProjectBot(db: Db, projectId: string, channel: Channel): Promise<OwnBotRow | null> {
  return row<OwnBotRow>(
    db,
    'find_project_bot',
    `SELECT ${COLUMNS} FROM project_bots WHERE project_id = $1 AND channel = $2`,
    [projectId, channel],
  );
}

/**
 * Connects or replaces a project's bot. The caller holds the project's lock and passes the row that it found, whose id
 * the new values are bound to.
 */
export async function saveProjectBot(
  db: Db,
  before: OwnBotRow | null,
  bot: Omit<OwnBotRow, 'status' | 'error'>,
): Promise<void> {
  await change(
    db,
    'save_project_bot',
    `INSERT INTO project_bots (id, project_id, channel, bot, username, token_sealed) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET bot = excluded.bot, username = excluded.username,
       token_sealed = excluded.token_sealed, status = 'connected', error = NULL, status_at = now(), connected_at = now()`,
    [bot.id, bot.project_id, bot.channel, bot.bot, bot.username, bot.token_sealed],
  );
  if (before && before.bot !== bot.bot) await forgetBot(db, before.bot);
  await ensureBotPace(db, bot.bot);
  notifyAfterCommit(db, notifyChannels.bots);
}

export async function removeProjectBot(db: Db, projectId: string, channel: Channel): Promise<void> {
  const removed = await row<{ bot: string }>(
    db,
    'remove_project_bot',
    'DELETE FROM project_bots WHERE project_id = $1 AND channel = $2 RETURNING bot',
    [projectId, channel],
  );
  if (!removed) return;
  await forgetBot(db, removed.bot);
  notifyAfterCommit(db, notifyChannels.bots);
}

/** Deletes what is kept for a bot. A bot that is connected again starts with the oldest update that the platform keeps. */
async function forgetBot(db: Db, bot: string): Promise<void> {
  await change(db, 'forget_bot_offset', 'DELETE FROM bot_offsets WHERE bot = $1', [bot]);
  await change(db, 'forget_bot_webhook', 'DELETE FROM bot_webhooks WHERE bot = $1', [bot]);
  await change(db, 'forget_bot_pace', 'DELETE FROM bot_pace WHERE bot = $1', [bot]);
}

/** The token must be the one that was used: a process that still has a replaced token reports nothing about the new one. */
export async function recordBotStatus(
  db: Db,
  { id, token_sealed }: Pick<OwnBotRow, 'id' | 'token_sealed'>,
  status: BotStatus,
  error: string | null,
): Promise<void> {
  const changed = await change(
    db,
    'record_bot_status',
    `UPDATE project_bots SET status = $3, error = $4, status_at = now()
     WHERE id = $1 AND token_sealed = $2 AND status <> $3`,
    [id, token_sealed, status, error],
  );
  if (changed > 0) notifyAfterCommit(db, notifyChannels.bots);
}

/** SQL: the own bot of the project of subscriber `s`, joined as `own`. */
export const JOIN_OWN_BOT = `LEFT JOIN project_bots own ON own.project_id = s.project_id AND own.channel = s.channel`;

/**
 * SQL: the key of the bot that reaches subscriber `s`. One who came through a bot that was replaced or removed is reached
 * through the project's present bot, if the platform lets it.
 */
export const REACHING_BOT = `CASE WHEN s.bot IS NULL THEN s.channel ELSE coalesce(own.bot, s.channel) END`;
