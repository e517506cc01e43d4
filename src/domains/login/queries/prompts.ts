import type { Channel, Language } from '../../../base/contract/common';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';

/** A question of the bot. `message_id` is null until the messenger has accepted the message. */
export interface Prompt {
  id: number;
  session_id: string;
  channel: Channel;
  /** The bot that asked; null for the shared one. */
  bot: string | null;
  chat_id: string;
  platform_user_id: string;
  message_id: string | null;
  /** The update that opened the link; null for a question that Herald sent by itself. */
  update_id: number | null;
  closed: boolean;
}

const columnsOf = (
  p: string,
) => `${p}.id, ${p}.session_id, ${p}.channel, ${p}.bot, ${p}.chat_id, ${p}.platform_user_id,
  ${p}.message_id, ${p}.update_id, ${p}.closed_at IS NOT NULL AS closed`;
const COLUMNS = columnsOf('auth_prompts');

interface NewPrompt {
  session_id: string;
  nonce_hash: Buffer;
  channel: Channel;
  bot: string | null;
  chat_id: string;
  platform_user_id: string;
  update_id: number;
}

export async function insertPrompt(db: Db, prompt: NewPrompt): Promise<number> {
  const inserted = await row<{ id: number }>(
    db,
    'insert_prompt',
    `INSERT INTO auth_prompts (session_id, nonce_hash, channel, chat_id, platform_user_id, update_id, bot)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
    [
      prompt.session_id,
      prompt.nonce_hash,
      prompt.channel,
      prompt.chat_id,
      prompt.platform_user_id,
      prompt.update_id,
      prompt.bot,
    ],
  );
  if (!inserted) throw new Error('the prompt was not inserted');
  return inserted.id;
}

/** Whether the question of this update was sent: an update that is handled again does not ask twice. */
export async function wasPrompted(db: Db, updateId: number): Promise<boolean> {
  const found = await row(
    db,
    'was_prompted',
    'SELECT 1 FROM auth_prompts WHERE update_id = $1 AND message_id IS NOT NULL',
    [updateId],
  );
  return found !== null;
}

/** The messenger has accepted the question. The first one of a session tells that the bot has asked. */
export function setPromptMessage(db: Db, promptId: number, messageId: string): Promise<number> {
  return change(
    db,
    'prompt_message',
    // The session is locked before its questions, as everywhere.
    `WITH session AS MATERIALIZED (
       SELECT s.id FROM auth_prompts p JOIN auth_sessions s ON s.id = p.session_id WHERE p.id = $1 FOR NO KEY UPDATE OF s
     ), prompt AS (
       UPDATE auth_prompts p SET message_id = $2 FROM session WHERE p.id = $1 AND p.session_id = session.id
       RETURNING p.session_id, p.channel)
     UPDATE auth_sessions s SET asked_in = prompt.channel FROM prompt WHERE s.id = prompt.session_id AND s.asked_in IS NULL`,
    [promptId, messageId],
  );
}

export function findPromptByNonce(db: Db, nonceHash: Buffer): Promise<Prompt | null> {
  return row<Prompt>(db, 'prompt_by_nonce', `SELECT ${COLUMNS} FROM auth_prompts WHERE nonce_hash = $1`, [
    nonceHash,
  ]);
}

/** Closes the open questions of a session, whose buttons no longer count. Returns them. */
export function closePrompts(db: Db, sessionId: string): Promise<Prompt[]> {
  return rows<Prompt>(
    db,
    'close_prompts',
    `UPDATE auth_prompts SET closed_at = now() WHERE session_id = $1 AND closed_at IS NULL RETURNING ${COLUMNS}`,
    [sessionId],
  );
}

/**
 * A question that is still shown with its buttons: an open one, or one that was closed for a new question which was never
 * sent.
 */
export interface OpenPrompt extends Prompt {
  message_id: string;
  /** Of the user who was asked. */
  lang: Language;
}

export function openPrompts(db: Db, sessionId: string): Promise<OpenPrompt[]> {
  return rows<OpenPrompt>(
    db,
    'open_prompts',
    `SELECT ${columnsOf('p')}, coalesce(
       CASE WHEN (p.channel, p.platform_user_id) = (s.channel, s.platform_user_id) THEN s.lang ELSE u.lang END, 'en') AS lang
     FROM auth_prompts p JOIN auth_sessions s ON s.id = p.session_id
       LEFT JOIN subscribers u ON u.project_id = s.project_id AND u.channel = p.channel
         AND u.platform_user_id = p.platform_user_id
       LEFT JOIN LATERAL (
         SELECT bool_or(n.message_id IS NOT NULL) AS was_sent FROM auth_prompts n
         WHERE n.session_id = p.session_id AND n.id > p.id
           AND (n.channel, n.platform_user_id) = (p.channel, p.platform_user_id)) newer ON true
     WHERE p.session_id = $1 AND p.message_id IS NOT NULL AND (p.closed_at IS NULL OR NOT newer.was_sent) ORDER BY p.id`,
    [sessionId],
  );
}

export function closePrompt(db: Db, promptId: number): Promise<number> {
  return change(db, 'close_prompt', 'UPDATE auth_prompts SET closed_at = now() WHERE id = $1', [promptId]);
}
