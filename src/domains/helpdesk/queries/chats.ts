import { JOIN_OWN_BOT, REACHING_BOT, type IncomingMessage } from '../../bots';
import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import { maySend } from '../../projects';
import type { BotUserRef } from '../../subscribers';

function valuesOf({ channel, bot, platform_user_id }: BotUserRef): unknown[] {
  return [channel, bot, platform_user_id];
}

/** What the bot and a user are in the middle of. */
interface ChatState {
  /** A request being written. */
  writing: { projectId: string; typeId: string | null } | null;
  /** The ticket that the user has chosen. */
  ticketId: string | null;
}

export async function findChatState(db: Db, user: BotUserRef): Promise<ChatState> {
  const found = await row<{ project_id: string | null; type_id: string | null; ticket_id: string | null }>(
    db,
    'find_ticket_chat',
    `SELECT CASE WHEN updated_at > now() - interval '${limits.ticketDraftHours} hours' AND ${maySend('writing_project_id')}
         THEN writing_project_id END AS project_id,
       writing_type_id AS type_id, CASE WHEN chosen_until > now() THEN ticket_id END AS ticket_id
     FROM ticket_chats WHERE channel = $1 AND bot = $2 AND platform_user_id = $3`,
    valuesOf(user),
  );
  const writing = found?.project_id ? { projectId: found.project_id, typeId: found.type_id } : null;
  return { writing, ticketId: found?.ticket_id ?? null };
}

/** A request is being written: the next message creates it. */
export function beginWriting(
  db: Db,
  user: BotUserRef,
  { projectId, typeId }: { projectId: string; typeId: string | null },
): Promise<number> {
  return change(
    db,
    'begin_ticket_writing',
    `INSERT INTO ticket_chats (channel, bot, platform_user_id, writing_project_id, writing_type_id)
     VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (channel, platform_user_id, bot) DO UPDATE SET writing_project_id = $4, writing_type_id = $5,
       ticket_id = NULL, chosen_until = NULL, updated_at = clock_timestamp()`,
    [...valuesOf(user), projectId, typeId],
  );
}

/** Later messages go to this ticket, for some time. Nothing is being written any more. */
export function chooseTicket(db: Db, user: BotUserRef, ticketId: string): Promise<number> {
  return change(
    db,
    'choose_ticket',
    `INSERT INTO ticket_chats (channel, bot, platform_user_id, ticket_id, chosen_until)
     VALUES ($1, $2, $3, $4, clock_timestamp() + interval '${limits.ticketChoiceMinutes} minutes')
     ON CONFLICT (channel, platform_user_id, bot) DO UPDATE SET writing_project_id = NULL, writing_type_id = NULL,
       ticket_id = excluded.ticket_id, chosen_until = excluded.chosen_until, updated_at = clock_timestamp()`,
    [...valuesOf(user), ticketId],
  );
}

/** Returns whether a request was being written. */
export async function endWriting(db: Db, user: BotUserRef): Promise<boolean> {
  const ended = await change(
    db,
    'end_ticket_writing',
    `UPDATE ticket_chats SET writing_project_id = NULL, writing_type_id = NULL, updated_at = clock_timestamp()
     WHERE channel = $1 AND bot = $2 AND platform_user_id = $3 AND writing_project_id IS NOT NULL
       AND updated_at > now() - interval '${limits.ticketDraftHours} hours'`,
    valuesOf(user),
  );
  return ended > 0;
}

/** SQL: the tickets of a user that a bot reaches. */
const OF_USER = `FROM subscribers s JOIN tickets t ON t.subscriber_id = s.id JOIN projects p ON p.id = s.project_id
  ${JOIN_OWN_BOT}
  WHERE s.channel = $1 AND ${REACHING_BOT} = $2 AND s.platform_user_id = $3 AND p.active`;

/** A ticket, as the bot names it to its customer. */
export interface OwnTicket {
  id: string;
  project_id: string;
  project_name: string;
  number: number;
  subject: string | null;
  preview: string | null;
}

const OWN = 't.id, t.project_id, p.name AS project_name, t.number, t.subject, t.preview';
/** They fit a keyboard; a customer hardly has more. */
const LISTED = 10;

/** Open tickets of a user, newest first. */
export function openTicketsOf(db: Db, user: BotUserRef): Promise<OwnTicket[]> {
  return rows<OwnTicket>(
    db,
    'open_tickets_of_user',
    `SELECT ${OWN} ${OF_USER} AND t.status <> 'closed' ORDER BY t.created_at DESC LIMIT ${LISTED}`,
    valuesOf(user),
  );
}

/** Closed ones that a message reopens. */
export function reopenableTicketsOf(db: Db, user: BotUserRef): Promise<OwnTicket[]> {
  return rows<OwnTicket>(
    db,
    'reopenable_tickets_of_user',
    `SELECT ${OWN} ${OF_USER} AND t.status = 'closed' AND EXISTS (
       SELECT 1 FROM helpdesks h WHERE h.project_id = t.project_id AND h.enabled
         AND t.closed_at >= now() - make_interval(days => h.reopen_days))
     ORDER BY t.closed_at DESC LIMIT ${LISTED}`,
    valuesOf(user),
  );
}

export function findOwnTicket(db: Db, user: BotUserRef, ticketId: string): Promise<OwnTicket | null> {
  return row<OwnTicket>(db, 'find_ticket_of_user', `SELECT ${OWN} ${OF_USER} AND t.id = $4`, [
    ...valuesOf(user),
    ticketId,
  ]);
}

/** The ticket of a message in the user's chat: their own, a reply to them, or what the bot said about it. */
export function findQuotedTicket(db: Db, user: BotUserRef, messageId: string): Promise<OwnTicket | null> {
  return row<OwnTicket>(
    db,
    'find_quoted_ticket',
    `SELECT ${OWN} ${OF_USER} AND ($4 = ANY (t.bot_message_ids)
       OR EXISTS (SELECT 1 FROM ticket_messages m WHERE m.ticket_id = t.id AND m.chat_message_id = $4)
       OR EXISTS (SELECT 1 FROM messages m WHERE m.source_id = t.id AND $4 IN (m.platform_message_id, m.media_message_id)))
     ORDER BY t.created_at DESC LIMIT 1`,
    [...valuesOf(user), messageId],
  );
}

const REMEMBERED = 20;

export function recordBotMessage(db: Db, ticketId: string, messageId: string): Promise<number> {
  return change(
    db,
    'record_ticket_bot_message',
    `UPDATE tickets SET bot_message_ids = ($2::text || bot_message_ids)[1:${REMEMBERED}] WHERE id = $1`,
    [ticketId, messageId],
  );
}

/**
 * Keeps a message until the user says which ticket it is about. Returns false if enough of them wait already. The updates of
 * a chat are handled one at a time, so the count is exact.
 */
export async function keepMessage(
  db: Db,
  user: BotUserRef,
  { updateId, receivedAt, message }: KeptMessage,
): Promise<boolean> {
  const found = await row<{ is_kept: boolean }>(
    db,
    'keep_ticket_message',
    `WITH earlier AS (
       SELECT update_id FROM ticket_kept_messages WHERE channel = $1 AND bot = $2 AND platform_user_id = $3
     ), kept AS (
       INSERT INTO ticket_kept_messages (channel, bot, platform_user_id, update_id, message, received_at)
       SELECT $1, $2, $3, $4::bigint, $5::jsonb, $6::timestamptz WHERE (SELECT count(*) FROM earlier) < ${limits.keptTicketMessages}
       ON CONFLICT DO NOTHING RETURNING update_id
     )
     SELECT EXISTS (SELECT 1 FROM kept) OR EXISTS (SELECT 1 FROM earlier WHERE update_id = $4) AS is_kept`,
    [...valuesOf(user), updateId, JSON.stringify(message), receivedAt],
  );
  return found?.is_kept ?? false;
}

export interface KeptMessage {
  updateId: number;
  receivedAt: Date;
  message: Pick<IncomingMessage, 'messageId' | 'text' | 'files'>;
}

/** Takes the kept messages out, oldest first. */
export async function takeKeptMessages(db: Db, user: BotUserRef): Promise<KeptMessage[]> {
  const taken = await rows<{ update_id: number; received_at: Date; message: KeptMessage['message'] }>(
    db,
    'take_kept_ticket_messages',
    `DELETE FROM ticket_kept_messages WHERE channel = $1 AND bot = $2 AND platform_user_id = $3
     RETURNING update_id, received_at, message`,
    valuesOf(user),
  );
  return taken
    .sort((one, other) => one.update_id - other.update_id)
    .map(({ update_id, received_at, message }) => ({
      updateId: update_id,
      receivedAt: received_at,
      message,
    }));
}
