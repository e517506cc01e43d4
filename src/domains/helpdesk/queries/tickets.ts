import type { Channel } from '../../../base/contract/common';
import type { Cursor } from '../../../base/contract/cursor';
import { noteChange } from '../../../base/db/changes';
import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { change, row, rows, rowsPlannedAnew } from '../../../base/db/query';
import type { ticketOrders, TicketPriority, TicketSource, TicketStatus } from '../contract';
import { scheduleTickets } from './timers';

export interface TicketRow {
  id: string;
  project_id: string;
  number: number;
  subject: string | null;
  /** The beginning of the newest public message. */
  preview: string | null;
  status: TicketStatus;
  priority: TicketPriority;
  type_id: string | null;
  source: TicketSource;
  subscriber_id: string | null;
  /** Of the subscriber. */
  channel: Channel | null;
  external_id: string | null;
  virtual: boolean;
  customer_name: string | null;
  customer_contact: string | null;
  assignee_id: string | null;
  waiting_since: Date | null;
  unanswered_reported: boolean;
  first_reply_at: Date | null;
  first_reply_due_at: Date | null;
  resolve_due_at: Date | null;
  overdue: boolean;
  status_since: Date;
  csat: 'wanted' | 'asking' | 'asked' | null;
  csat_asked_at: Date | null;
  csat_score: number | null;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
  /** The database's time of the read. */
  now: Date;
}

const COLUMNS = `t.id, t.project_id, t.number, t.subject, t.preview, t.status, t.priority, t.type_id, t.source, t.subscriber_id,
  s.channel, s.external_id, t.virtual, t.customer_name, t.customer_contact, t.assignee_id, t.waiting_since,
  t.unanswered_reported, t.first_reply_at, t.first_reply_due_at, t.resolve_due_at,
  coalesce(t.due_at < clock_timestamp(), false) AS overdue, t.status_since, t.csat, t.csat_asked_at, t.csat_score,
  t.created_at, t.updated_at, t.closed_at, clock_timestamp() AS now`;
const FROM = 'tickets t LEFT JOIN subscribers s ON s.id = t.subscriber_id';

export function findTicket(db: Db, projectId: string, id: string): Promise<TicketRow | null> {
  return row<TicketRow>(
    db,
    'find_ticket',
    `SELECT ${COLUMNS} FROM ${FROM} WHERE t.project_id = $1 AND t.id = $2`,
    [projectId, id],
  );
}

/** Whose ticket it is, without a lock: the subscriber is locked before it. */
export function findTicketOwner(
  db: Db,
  id: string,
): Promise<{ project_id: string; subscriber_id: string | null } | null> {
  return row(db, 'find_ticket_owner', 'SELECT project_id, subscriber_id FROM tickets WHERE id = $1', [id]);
}

/** Locked first and then read: a statement that had to wait for the lock would show what it joins as it was before. */
export async function lockTicket(db: Db, projectId: string, id: string): Promise<TicketRow | null> {
  await row(db, 'lock_ticket', 'SELECT id FROM tickets WHERE project_id = $1 AND id = $2 FOR UPDATE', [
    projectId,
    id,
  ]);
  return findTicket(db, projectId, id);
}

interface NewTicketRow {
  id: string;
  projectId: string;
  number: number;
  subject: string | null;
  preview: string;
  priority: TicketPriority;
  typeId: string | null;
  source: TicketSource;
  subscriberId: string | null;
  customer: { name: string | null; contact: string | null } | null;
  words: string[];
  firstReplyHours: number | null;
  resolveHours: number | null;
}

/** The agenda starts the workflow with its timers. */
export async function insertTicket(db: Db, ticket: NewTicketRow): Promise<void> {
  await change(
    db,
    'insert_ticket',
    `INSERT INTO tickets (id, project_id, number, subject, priority, type_id, source, subscriber_id, virtual, customer_name,
       customer_contact, words, waiting_since, first_reply_due_at, resolve_due_at, preview)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, array_to_tsvector($12::text[]), at,
       at + make_interval(hours => $13), at + make_interval(hours => $14), $15
     FROM (SELECT clock_timestamp() AS at) AS moment`,
    [
      ticket.id,
      ticket.projectId,
      ticket.number,
      ticket.subject,
      ticket.priority,
      ticket.typeId,
      ticket.source,
      ticket.subscriberId,
      ticket.customer !== null,
      ticket.customer?.name ?? null,
      ticket.customer?.contact ?? null,
      ticket.words,
      ticket.firstReplyHours,
      ticket.resolveHours,
      ticket.preview,
    ],
  );
  await noteTicket(db, { id: ticket.id, project_id: ticket.projectId });
}

/** Writes a ticket that the caller has locked, and wakes its workflow. */
export async function updateTicket(db: Db, { id, project_id, ...values }: TicketRow): Promise<void> {
  await change(
    db,
    'update_ticket',
    `UPDATE tickets SET subject = $2, status = $3, priority = $4, type_id = $5, assignee_id = $6, waiting_since = $7,
       unanswered_reported = $8, first_reply_at = $9, status_since = $10, csat = $11, closed_at = $12, preview = $13,
       updated_at = clock_timestamp()
     WHERE id = $1`,
    [
      id,
      values.subject,
      values.status,
      values.priority,
      values.type_id,
      values.assignee_id,
      values.waiting_since,
      values.unanswered_reported,
      values.first_reply_at,
      values.status_since,
      values.csat,
      values.closed_at,
      values.preview,
    ],
  );
  await noteTicket(db, { id, project_id });
}

/** The caller holds the row's lock. */
export async function recordRating(db: Db, { id, project_id }: TicketRow, score: number): Promise<void> {
  await change(
    db,
    'record_ticket_rating',
    'UPDATE tickets SET csat_score = $2, updated_at = clock_timestamp() WHERE id = $1',
    [id, score],
  );
  noteChange(db, 'tickets', project_id);
}

async function noteTicket(db: Db, ticket: { id: string; project_id: string }): Promise<void> {
  await scheduleTickets(db, [ticket]);
  noteChange(db, 'tickets', ticket.project_id);
}

export interface TicketSearch {
  status?: TicketStatus | undefined;
  priority?: TicketPriority | undefined;
  typeId?: string | undefined;
  /** Null: none. */
  assigneeId?: string | null | undefined;
  subscriberId?: string | undefined;
  number?: number | undefined;
  overdue?: boolean | undefined;
  /** All but closed ones, or closed ones. */
  open?: boolean | undefined;
  /** As PostgreSQL reads a tsquery. */
  words?: string | undefined;
  /** The time by which the newest are first. Default: that of the creation. */
  sort?: (typeof ticketOrders)[number] | undefined;
  before: Cursor | null;
  limit: number;
}

/**
 * The tickets of a project, newest first. Returns one row more than the limit if there is another page. Each combination of
 * filters is a statement of its own, so that each has the plan of its index.
 */
export function listTickets(
  db: Db,
  projectId: string,
  search: TicketSearch,
): Promise<(TicketRow & { cursor_at: string })[]> {
  const { before, limit, assigneeId, overdue, open, sort = 'created' } = search;
  const time = `t.${sort}_at`;
  const filters: [name: string, text: (parameter: string) => string, value: unknown][] = [
    ['status', (p) => `t.status = ${p}`, search.status],
    ['priority', (p) => `t.priority = ${p}`, search.priority],
    ['type', (p) => `t.type_id = ${p}`, search.typeId],
    ['assignee', (p) => `t.assignee_id = ${p}`, assigneeId ?? undefined],
    ['subscriber', (p) => `t.subscriber_id = ${p}`, search.subscriberId],
    ['number', (p) => `t.number = ${p}`, search.number],
    ['words', (p) => `t.words @@ ${p}::tsquery`, search.words],
  ];
  const given = filters.filter(([, , value]) => value !== undefined);
  const fixed = [
    ...(assigneeId === null ? [['unassigned', 't.assignee_id IS NULL']] : []),
    ...(open === true ? [['open', `t.status <> 'closed'`]] : []),
    ...(open === false ? [['closed', `t.status = 'closed'`]] : []),
    ...(overdue === true ? [['overdue', 't.due_at < now()']] : []),
    ...(overdue === false ? [['on_time', '(t.due_at IS NULL OR t.due_at >= now())']] : []),
  ];
  const values = [projectId, before?.at ?? null, before?.id ?? null, limit + 1];
  const conditions = given.map(([, text], index) => text(`$${values.length + index + 1}`));
  const name = ['list_tickets', sort, ...given.map(([name]) => name), ...fixed.map(([name]) => name)].join(
    '_',
  );
  const text = `SELECT ${COLUMNS}, ${cursorTime(time)} AS cursor_at FROM ${FROM}
     WHERE ${[
       't.project_id = $1',
       `(${time}, t.id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))`,
       ...conditions,
       ...fixed.map(([, text]) => text),
     ].join(' AND ')}
     ORDER BY ${time} DESC, t.id DESC LIMIT $4`;
  const all = [...values, ...given.map(([, , value]) => value)];
  // A frequent word is found soonest by reading the newest tickets, a rare one by the index of words.
  return search.words === undefined ? rows(db, name, text, all) : rowsPlannedAnew(db, text, all);
}

interface TicketCounts {
  new: number;
  in_progress: number;
  waiting: number;
  unassigned: number;
  mine: number;
  overdue: number;
}

/** Of open tickets. */
export async function countTickets(
  db: Db,
  projectId: string,
  memberId: string | null,
): Promise<TicketCounts> {
  const counted = await row<TicketCounts>(
    db,
    'count_tickets',
    `SELECT (count(*) FILTER (WHERE status = 'new'))::int AS new,
       (count(*) FILTER (WHERE status = 'in_progress'))::int AS in_progress,
       (count(*) FILTER (WHERE status = 'waiting'))::int AS waiting,
       (count(*) FILTER (WHERE assignee_id IS NULL))::int AS unassigned,
       (count(*) FILTER (WHERE assignee_id = $2))::int AS mine,
       (count(*) FILTER (WHERE due_at < now()))::int AS overdue
     FROM tickets WHERE project_id = $1 AND status IN ('new', 'in_progress', 'waiting')`,
    [projectId, memberId],
  );
  return counted ?? { new: 0, in_progress: 0, waiting: 0, unassigned: 0, mine: 0, overdue: 0 };
}
