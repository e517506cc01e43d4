import type { Db } from '../../db/pool';
import { change } from '../../db/query';
import type { TicketPriority, TicketStatus } from '../contract';

/** A ticket with a past. Times are hours ago. */
export interface DemoTicket {
  id: string;
  number: number;
  subject: string;
  status: TicketStatus;
  priority: TicketPriority;
  subscriberId: string | null;
  customer: { name: string; contact: string } | null;
  createdAt: number;
  /** The customer waits since then. */
  waitingSince: number | null;
  firstReplyAt: number | null;
  closedAt: number | null;
  csatScore: number | null;
  preview: string;
  words: string[];
}

/** Without events: no customer has written it. The first reply was due four hours after the first message. */
export function insertDemoTicket(db: Db, projectId: string, ticket: DemoTicket): Promise<number> {
  const ago = (parameter: string) => `now() - make_interval(hours => ${parameter}::int)`;
  return change(
    db,
    'insert_demo_ticket',
    `INSERT INTO tickets (id, project_id, number, subject, status, priority, source, subscriber_id, virtual, customer_name,
       customer_contact, created_at, waiting_since, first_reply_at, first_reply_due_at, closed_at, csat, csat_score, status_since,
       updated_at, preview, words)
     VALUES ($1, $2, $3, $4, $5, $6, 'api', $7, $8::text IS NOT NULL, $8, $9, ${ago('$10')}, ${ago('$11')}, ${ago('$12')},
       ${ago('$10')} + interval '4 hours', ${ago('$13')}, CASE WHEN $14::int IS NOT NULL THEN 'asked' END, $14,
       ${ago('coalesce($13, $12, $10)')}, ${ago('coalesce($13, $11, $12, $10)')}, $15, array_to_tsvector($16::text[]))`,
    [
      ticket.id,
      projectId,
      ticket.number,
      ticket.subject,
      ticket.status,
      ticket.priority,
      ticket.subscriberId,
      ticket.customer?.name ?? null,
      ticket.customer?.contact ?? null,
      ticket.createdAt,
      ticket.waitingSince,
      ticket.firstReplyAt,
      ticket.closedAt,
      ticket.csatScore,
      ticket.preview,
      ticket.words,
    ],
  );
}

export function insertDemoMessage(
  db: Db,
  ticketId: string,
  message: { id: string; from: 'customer' | 'agent'; internal: boolean; text: string; hoursAgo: number },
): Promise<number> {
  return change(
    db,
    'insert_demo_ticket_message',
    `INSERT INTO ticket_messages (id, ticket_id, sender, internal, text, created_at)
     VALUES ($1, $2, $3, $4, $5, now() - make_interval(hours => $6))`,
    [message.id, ticketId, message.from, message.internal, message.text, message.hoursAgo],
  );
}

/** The helpdesk stays off, so that events of tickets can be published. */
export function insertDemoHelpdesk(db: Db, projectId: string, lastNumber: number): Promise<number> {
  return change(
    db,
    'insert_demo_helpdesk',
    'INSERT INTO helpdesks (project_id, first_reply_hours, last_number) VALUES ($1, 4, $2)',
    [projectId, lastNumber],
  );
}
