import { scheduleBy } from '../../../base/agenda';
import type { Channel, Language } from '../../../base/contract/common';
import type { Db } from '../../../base/db/pool';
import { countRows } from '../../../base/db/counts';
import { change, row, rows } from '../../../base/db/query';
import { maySend } from './sending';

/** The kind of the agenda: an entry for each member for whom notices wait. */
export const MEMBER_NOTICES = 'member_notices';

/**
 * At most this many notices about tickets and forms, which visitors can cause without a key, wait for a member. Further tickets
 * are in the inbox only, further submissions of a form are counted.
 */
const MOST_WAITING = 100;

/** SQL: whether that many notices wait for the member. */
const isFull = (memberId: string) =>
  `(SELECT count(*) >= ${MOST_WAITING} FROM (
     SELECT 1 FROM member_notices w WHERE w.member_id = ${memberId} LIMIT ${MOST_WAITING}) AS waiting)`;

/** In the transaction that has queued notices for them. */
function scheduleMembers(db: Db, projectId: string, memberIds: readonly string[]): Promise<void> {
  return scheduleBy(
    db,
    MEMBER_NOTICES,
    memberIds.map((id) => ({ id, project_id: projectId })),
  );
}

async function schedule(db: Db, projectId: string, queued: { member_id: string }[]): Promise<number> {
  await scheduleMembers(
    db,
    projectId,
    queued.map(({ member_id }) => member_id),
  );
  return queued.length;
}

/** Queues a message of the bot to each member who wants notices, in the transaction of the event. */
export async function queueNotices(db: Db, projectId: string, eventId: string): Promise<number> {
  const queued = await rows<{ member_id: string }>(
    db,
    'queue_notices',
    `INSERT INTO member_notices (member_id, event_id)
     SELECT id, $2 FROM members WHERE project_id = $1 AND notify <> 'none'
     ON CONFLICT (event_id, member_id) DO NOTHING RETURNING member_id`,
    [projectId, eventId],
  );
  return schedule(db, projectId, queued);
}

/**
 * The same about a ticket: to members who follow all tickets, and to its assignee. While a notice about a topic waits, the member
 * gets no other one about it, so that a customer who writes much does not delay the notices about others.
 */
export async function queueTicketNotices(
  db: Db,
  projectId: string,
  eventId: string,
  { assigneeId, topic = null }: { assigneeId: string | null; topic?: string | null },
): Promise<number> {
  const queued = await rows<{ member_id: string }>(
    db,
    'queue_ticket_notices',
    `INSERT INTO member_notices (member_id, event_id, topic)
     SELECT m.id, $2, $4::uuid FROM members m
     WHERE m.project_id = $1 AND (m.notify = 'all' OR (m.notify = 'assigned' AND m.id = $3::uuid))
       AND NOT EXISTS (SELECT 1 FROM member_notices n WHERE n.member_id = m.id AND n.topic = $4::uuid)
       AND NOT ${isFull('m.id')}
     ON CONFLICT (event_id, member_id) DO NOTHING RETURNING member_id`,
    [projectId, eventId, assigneeId, topic],
  );
  return schedule(db, projectId, queued);
}

export interface NotifiedMember {
  member_id: string;
  first_name: string;
  username: string | null;
  lang: Language;
}

/** The members who want messages from the bot. */
export function findNotifiedMembers(db: Db, projectId: string): Promise<NotifiedMember[]> {
  return rows<NotifiedMember>(
    db,
    'find_notified_members',
    `SELECT m.id AS member_id, a.first_name, a.username, a.lang FROM members m JOIN accounts a ON a.id = m.account_id
     WHERE m.project_id = $1 AND m.notify <> 'none' ORDER BY m.id`,
    [projectId],
  );
}

/** A route of a form that writes to members. */
interface FormMessage {
  projectId: string;
  formId: string;
  formName: string;
  submissionId: string;
  routeId: string;
  /** No earlier route of the submission has written to them. */
  isFirst: boolean;
  messages: { memberId: string; message: object }[];
}

/**
 * Queues a message to members. When messages of other submissions of the form wait for a member, one notice that counts the
 * submissions replaces them. The member's oldest notice may be being sent, so it stays.
 */
export async function queueFormMessages(db: Db, given: FormMessage): Promise<void> {
  const { projectId, formId, formName, submissionId, routeId, isFirst, messages } = given;
  const all = messages.map(({ memberId }) => memberId);
  // Locks the members' entries, so that concurrent submissions are counted one after another.
  await scheduleMembers(db, projectId, all);
  const counted = await rows<{ member_id: string }>(
    db,
    'count_form_answers',
    `UPDATE member_notices SET answers = answers + $3
     WHERE member_id = ANY ($1::uuid[]) AND topic = $2 AND answers IS NOT NULL RETURNING member_id`,
    [all, formId, isFirst ? 1 : 0],
  );
  const open = without(all, counted);
  const collapsed = await rows<{ member_id: string }>(
    db,
    'collapse_form_messages',
    `WITH waiting AS MATERIALIZED (
       SELECT n.id, n.member_id, n.submission_id FROM member_notices n
       WHERE n.member_id = ANY ($1::uuid[]) AND n.topic = $2
         AND n.id > (SELECT min(o.id) FROM member_notices o WHERE o.member_id = n.member_id)
     ), crowded AS (
       SELECT member_id, 1 + count(DISTINCT submission_id) FILTER (WHERE submission_id <> $3) AS answers
       FROM waiting GROUP BY member_id HAVING bool_or(submission_id <> $3)
     ), removed AS (
       DELETE FROM member_notices n USING waiting w, crowded c WHERE n.id = w.id AND c.member_id = w.member_id
     )
     INSERT INTO member_notices (member_id, event_id, topic, submission_id, form_name, answers)
     SELECT member_id, $4, $2, $3, $5, answers FROM crowded RETURNING member_id`,
    [open, formId, submissionId, routeId, formName],
  );
  const rest = new Set(without(open, collapsed));
  const own = messages.filter(({ memberId }) => rest.has(memberId));
  await change(
    db,
    'queue_form_messages',
    `INSERT INTO member_notices (member_id, event_id, topic, submission_id, form_name, message, answers)
     SELECT given.member_id, $1, $2, $3, $4, CASE WHEN NOT full_up THEN given.message END, CASE WHEN full_up THEN 1 END
     FROM unnest($5::uuid[], $6::jsonb[]) AS given (member_id, message)
       CROSS JOIN LATERAL (SELECT ${isFull('given.member_id')} AS full_up) AS bound`,
    [
      routeId,
      formId,
      submissionId,
      formName,
      own.map(({ memberId }) => memberId),
      own.map(({ message }) => JSON.stringify(message)),
    ],
  );
}

function without(ids: readonly string[], removed: readonly { member_id: string }[]): string[] {
  const gone = new Set(removed.map(({ member_id }) => member_id));
  return ids.filter((id) => !gone.has(id));
}

export interface Notice {
  id: number;
  channel: Channel;
  chat_id: string;
  lang: Language;
  /** The member wants messages. */
  is_wanted: boolean;
  may_send: boolean;
  project_id: string;
  project_name: string;
  /** The event that it is about, with its body as it was sent to the endpoints; null for a message of the project. */
  event: string | null;
  body: string | null;
  /** As `queueFormMessages` was given it. */
  message: object | null;
  /** A form and how many submissions it has got. */
  topic: string | null;
  form_name: string | null;
  answers: number | null;
  /** After a failure: when to try again. */
  retry_at: Date | null;
  failures: number;
}

/** The oldest notice that waits for a member, so that a recovery is not reported before its failure. */
export function findNextNotice(db: Db, memberId: string): Promise<Notice | null> {
  return row<Notice>(
    db,
    'find_next_notice',
    `SELECT n.id, a.channel, a.chat_id, a.lang, m.notify <> 'none' AS is_wanted, ${maySend('p.id')} AS may_send, p.id AS project_id,
       p.name AS project_name, e.name AS event, e.body, n.message, n.topic, n.form_name, n.answers,
       CASE WHEN n.send_at > clock_timestamp() THEN n.send_at END AS retry_at, n.failures
     FROM member_notices n JOIN members m ON m.id = n.member_id JOIN accounts a ON a.id = m.account_id
       JOIN projects p ON p.id = m.project_id
       LEFT JOIN events e ON n.message IS NULL AND n.answers IS NULL AND e.id = n.event_id
     WHERE n.member_id = $1 ORDER BY n.id LIMIT 1`,
    [memberId],
  );
}

/** Counted up to MAX_COUNTED. */
export function countWaitingNotices(db: Db, projectId: string): Promise<number> {
  return countRows(
    db,
    'count_waiting_notices',
    'SELECT FROM member_notices n JOIN members m ON m.id = n.member_id WHERE m.project_id = $1',
    [projectId],
  );
}

/** Ends a notice that was sent, or never will be. Submissions that were counted during the call stay for the next notice. */
export async function endNotice(db: Db, { id, answers }: Pick<Notice, 'id' | 'answers'>): Promise<void> {
  const ended = await change(
    db,
    'delete_notice',
    'DELETE FROM member_notices WHERE id = $1 AND answers IS NOT DISTINCT FROM $2',
    [id, answers],
  );
  if (ended > 0 || answers === null) return;
  await change(
    db,
    'keep_further_answers',
    'UPDATE member_notices SET answers = answers - $2, failures = 0 WHERE id = $1 AND answers > $2',
    [id, answers],
  );
}

/** Deletes the notices of a member who has muted the bot. */
export function deleteNotices(db: Db, memberId: string): Promise<number> {
  return change(db, 'delete_notices', 'DELETE FROM member_notices WHERE member_id = $1', [memberId]);
}

export function postponeNotice(db: Db, id: number, ms: number): Promise<number> {
  return change(
    db,
    'postpone_notice',
    `UPDATE member_notices SET failures = failures + 1, send_at = clock_timestamp() + make_interval(secs => $2) WHERE id = $1`,
    [id, ms / 1_000],
  );
}
