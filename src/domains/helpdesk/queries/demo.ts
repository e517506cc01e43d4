import type { Db } from '../../../base/db/pool';
import { change } from '../../../base/db/query';

/** A ticket with a past. Times are hours ago. */
interface DemoTicket {
  id: string;
  subject: string;
  customer: { name: string; contact: string };
  createdAt: number;
  firstReplyAt: number;
  preview: string;
  words: string[];
}

/** The project's first ticket, which waits for the customer. It has no events, because no customer has written it. */
export function insertDemoTicket(db: Db, projectId: string, ticket: DemoTicket): Promise<number> {
  const ago = (parameter: string) => `now() - make_interval(hours => ${parameter}::int)`;
  return change(
    db,
    'insert_demo_ticket',
    `INSERT INTO tickets (id, project_id, number, subject, status, priority, source, virtual, customer_name, customer_contact,
       created_at, first_reply_at, first_reply_due_at, status_since, updated_at, preview, words)
     VALUES ($1, $2, 1, $3, 'waiting', 'normal', 'api', true, $4, $5, ${ago('$6')}, ${ago('$7')},
       ${ago('$6')} + interval '4 hours', ${ago('$7')}, ${ago('$7')}, $8, array_to_tsvector($9::text[]))`,
    [
      ticket.id,
      projectId,
      ticket.subject,
      ticket.customer.name,
      ticket.customer.contact,
      ticket.createdAt,
      ticket.firstReplyAt,
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
export function insertDemoHelpdesk(db: Db, projectId: string): Promise<number> {
  return change(
    db,
    'insert_demo_helpdesk',
    'INSERT INTO helpdesks (project_id, first_reply_hours, last_number) VALUES ($1, 4, 1)',
    [projectId],
  );
}
