import type { Channel } from '../../../base/contract/common';
import type { Cursor } from '../../../base/contract/cursor';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { AttachmentView, TicketMessageView } from '../contract';

/** A file in the customer's messenger. */
export interface Attachment extends AttachmentView {
  /** By which the bot asks the messenger for it. */
  reference: string;
  channel: Channel;
  /** The key of the bot that received it; null for the shared one. */
  bot: string | null;
}

export interface TicketMessageRow {
  id: string;
  ticket_id: string;
  sender: TicketMessageView['from'];
  internal: boolean;
  text: string;
  attachments: Attachment[];
  change: TicketMessageView['change'];
  member_id: string | null;
  delivery: TicketMessageView['delivery'];
  created_at: Date;
}

/** While `messages` has the message, it knows best; what it forgot before its result was copied is unknown. */
const COLUMNS = `t.id, t.ticket_id, t.sender, t.internal, t.text, t.attachments, t.change, t.member_id, t.created_at,
  CASE WHEN t.delivery_status IS NULL THEN NULL
    WHEN m.id IS NOT NULL THEN jsonb_build_object('status', m.status, 'reason', m.reason)
    WHEN t.delivery_status = 'queued' THEN jsonb_build_object('status', 'failed', 'reason', 'unknown')
    ELSE jsonb_build_object('status', t.delivery_status, 'reason', t.delivery_reason) END AS delivery`;
const FROM =
  'ticket_messages t LEFT JOIN messages m ON m.request_id = t.id AND t.delivery_status IS NOT NULL';

interface NewTicketMessageRow {
  id: string;
  ticketId: string;
  sender: TicketMessageRow['sender'];
  internal?: boolean;
  text: string;
  attachments?: Attachment[];
  change?: TicketMessageRow['change'];
  memberId?: string | null;
  isSent?: boolean;
  chatMessageId?: string | null;
  updateId?: number | null;
}

/** Returns false if the update was handled before. */
export async function insertTicketMessage(db: Db, message: NewTicketMessageRow): Promise<boolean> {
  const inserted = await change(
    db,
    'insert_ticket_message',
    `INSERT INTO ticket_messages (id, ticket_id, sender, internal, text, attachments, change, member_id, delivery_status,
       chat_message_id, update_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (update_id) DO NOTHING`,
    [
      message.id,
      message.ticketId,
      message.sender,
      message.internal ?? false,
      message.text,
      JSON.stringify(message.attachments ?? []),
      message.change ? JSON.stringify(message.change) : null,
      message.memberId ?? null,
      message.isSent ? 'queued' : null,
      message.chatMessageId ?? null,
      message.updateId ?? null,
    ],
  );
  return inserted > 0;
}

export function findTicketMessage(db: Db, ticketId: string, id: string): Promise<TicketMessageRow | null> {
  return row<TicketMessageRow>(
    db,
    'find_ticket_message',
    `SELECT ${COLUMNS} FROM ${FROM} WHERE t.ticket_id = $1 AND t.id = $2`,
    [ticketId, id],
  );
}

/** The ticket that an update was added to, and whether it created the ticket. */
export function findTicketOfUpdate(
  db: Db,
  updateId: number,
): Promise<{ id: string; number: number; is_first: boolean } | null> {
  return row(
    db,
    'find_ticket_of_update',
    `SELECT t.id, t.number, t.source = 'bot' AND NOT EXISTS (
       SELECT 1 FROM ticket_messages e WHERE e.ticket_id = t.id AND e.created_at < m.created_at) AS is_first
     FROM ticket_messages m JOIN tickets t ON t.id = m.ticket_id WHERE m.update_id = $1`,
    [updateId],
  );
}

/** The messenger's references to the files of a message in the customer's chat. */
export async function fileReferencesOf(db: Db, ticketId: string, chatMessageId: string): Promise<string[]> {
  const found = await rows<{ reference: string }>(
    db,
    'list_ticket_file_references',
    `SELECT file ->> 'reference' AS reference FROM ticket_messages, jsonb_array_elements(attachments) AS file
     WHERE ticket_id = $1 AND chat_message_id = $2`,
    [ticketId, chatMessageId],
  );
  return found.map(({ reference }) => reference);
}

/** Newest first. Returns one row more than the limit if there is another page. */
export function listTicketMessages(
  db: Db,
  ticketId: string,
  { since, before, limit }: { since: string | null; before: Cursor | null; limit: number },
): Promise<(TicketMessageRow & { cursor_at: string })[]> {
  return rows<TicketMessageRow & { cursor_at: string }>(
    db,
    'list_ticket_messages',
    `SELECT ${COLUMNS}, ${cursorTime('t.created_at')} AS cursor_at FROM ${FROM}
     WHERE t.ticket_id = $1 AND ($2::timestamptz IS NULL OR t.created_at >= $2)
       AND (t.created_at, t.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY t.created_at DESC, t.id DESC LIMIT $5`,
    [ticketId, since, before?.at ?? null, before?.id ?? null, limit + 1],
  );
}

/** Copies the result of a reply, and by what it is quoted, for the time when `messages` has forgotten it. */
export function recordDelivery(
  db: Db,
  id: string,
  result: { status: 'sent'; platformMessageId: string } | { status: 'failed'; reason: string },
): Promise<number> {
  return change(
    db,
    'record_ticket_delivery',
    'UPDATE ticket_messages SET delivery_status = $2, delivery_reason = $3, chat_message_id = $4 WHERE id = $1',
    [
      id,
      result.status,
      result.status === 'failed' ? result.reason : null,
      result.status === 'sent' ? result.platformMessageId : null,
    ],
  );
}

/** A file of a ticket, of any of its messages. */
export async function findAttachment(
  db: Db,
  ticketId: string,
  attachmentId: string,
): Promise<Attachment | null> {
  const found = await row<{ attachments: Attachment[] }>(
    db,
    'find_ticket_attachment',
    `SELECT attachments FROM ticket_messages
     WHERE ticket_id = $1 AND attachments @> jsonb_build_array(jsonb_build_object('attachment_id', $2::text)) LIMIT 1`,
    [ticketId, attachmentId],
  );
  return found?.attachments.find(({ attachment_id }) => attachment_id === attachmentId) ?? null;
}
