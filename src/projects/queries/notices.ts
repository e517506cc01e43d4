import type { Channel, Language } from '../../contract/common';
import type { Db } from '../../db/pool';
import { change, rows } from '../../db/query';

/** Queues a message of the bot to each member who wants notices, in the transaction of the event. */
export function queueNotices(db: Db, projectId: string, eventId: string): Promise<number> {
  return change(
    db,
    'queue_notices',
    `INSERT INTO member_notices (account_id, event_id)
     SELECT account_id, $2 FROM members WHERE project_id = $1 AND notify <> 'none'
     ON CONFLICT (event_id, account_id) DO NOTHING`,
    [projectId, eventId],
  );
}

export interface NotifiedMember {
  account_id: string;
  first_name: string;
  username: string | null;
  lang: Language;
}

/** The members who want messages from the bot. */
export function findNotifiedMembers(db: Db, projectId: string): Promise<NotifiedMember[]> {
  return rows<NotifiedMember>(
    db,
    'find_notified_members',
    `SELECT a.id AS account_id, a.first_name, a.username, a.lang FROM members m JOIN accounts a ON a.id = m.account_id
     WHERE m.project_id = $1 AND m.notify <> 'none' ORDER BY a.id`,
    [projectId],
  );
}

/** Queues a message to members, once for each cause and member. */
export function queueMemberMessages(
  db: Db,
  projectId: string,
  causeId: string,
  messages: { accountId: string; message: object }[],
): Promise<number> {
  return change(
    db,
    'queue_member_messages',
    `INSERT INTO member_notices (account_id, event_id, project_id, message)
     SELECT given.account_id, $2, $1, given.message FROM unnest($3::uuid[], $4::jsonb[]) AS given (account_id, message)
     ON CONFLICT (event_id, account_id) DO NOTHING`,
    [
      projectId,
      causeId,
      messages.map(({ accountId }) => accountId),
      messages.map(({ message }) => JSON.stringify(message)),
    ],
  );
}

/**
 * The same about a ticket: to members who follow all of them, and to the one who has it. Of several about one topic that wait
 * at the same time a member gets one: a customer who writes much must not hold up the notices of others.
 */
export function queueTicketNotices(
  db: Db,
  projectId: string,
  eventId: string,
  { assigneeId, topic = null }: { assigneeId: string | null; topic?: string | null },
): Promise<number> {
  return change(
    db,
    'queue_ticket_notices',
    `INSERT INTO member_notices (account_id, event_id, topic)
     SELECT m.account_id, $2, $4::uuid FROM members m
     WHERE m.project_id = $1 AND (m.notify = 'all' OR (m.notify = 'assigned' AND m.id = $3::uuid))
       AND NOT EXISTS (SELECT 1 FROM member_notices n WHERE n.account_id = m.account_id AND n.topic = $4::uuid)
     ON CONFLICT (event_id, account_id) DO NOTHING`,
    [projectId, eventId, assigneeId, topic],
  );
}

export interface Notice {
  id: number;
  channel: Channel;
  chat_id: string;
  lang: Language;
  project_id: string;
  project_name: string;
  /** The event that it is about, with its body as it was sent to the endpoints; null for a message of the project. */
  event: string | null;
  body: string | null;
  /** As `queueMemberMessages` was given it. */
  message: object | null;
  failures: number;
}

/**
 * Claims notices that are due, by a lease: those of a process that died are claimed again. Oldest first: a
 * recovery must not come before the failure. A notice to a member who has left the team or muted
 * the bot is deleted, and so is one whose event was erased.
 */
export async function claimNotices(db: Db, limit: number): Promise<Notice[]> {
  const claimed = await rows<Notice & { is_wanted: boolean }>(
    db,
    'claim_notices',
    `UPDATE member_notices n SET send_at = clock_timestamp() + interval '1 minute'
     FROM accounts a, member_notices same LEFT JOIN events e ON same.message IS NULL AND e.id = same.event_id
       LEFT JOIN projects p ON p.id = coalesce(same.project_id, e.project_id)
     WHERE same.id = n.id AND n.id = ANY (ARRAY(SELECT id FROM member_notices WHERE send_at <= now() ORDER BY send_at LIMIT $1 FOR UPDATE SKIP LOCKED))
       AND a.id = n.account_id
     RETURNING n.id, a.channel, a.chat_id, a.lang, p.id AS project_id, p.name AS project_name, e.name AS event, e.body,
       n.message, n.failures, EXISTS (SELECT 1 FROM members m WHERE m.account_id = a.id AND m.project_id = p.id AND m.notify <> 'none') AS is_wanted`,
    [limit],
  );
  const unwanted = claimed.filter(({ is_wanted }) => !is_wanted);
  for (const { id } of unwanted) await deleteNotice(db, id);
  return claimed.filter(({ is_wanted }) => is_wanted).sort((one, other) => one.id - other.id);
}

export function deleteNotice(db: Db, id: number): Promise<number> {
  return change(db, 'delete_notice', 'DELETE FROM member_notices WHERE id = $1', [id]);
}

export function postponeNotice(db: Db, id: number, seconds: number): Promise<number> {
  return change(
    db,
    'postpone_notice',
    `UPDATE member_notices SET failures = failures + 1, send_at = clock_timestamp() + make_interval(secs => $2) WHERE id = $1`,
    [id, seconds],
  );
}
