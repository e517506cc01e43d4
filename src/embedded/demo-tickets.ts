import { randomUUID } from 'node:crypto';
import type { Db } from '../db/pool';
import type { TicketPriority, TicketStatus } from '../helpdesk/contract';
import { insertDemoHelpdesk, insertDemoMessage, insertDemoTicket } from '../helpdesk/queries/demo';
import { previewOf } from '../helpdesk/ticket';
import { searchedWords } from '../helpdesk/words';

interface Ticket {
  subject: string;
  status: TicketStatus;
  priority: TicketPriority;
  /** Null: the demo's subscriber. */
  customer: { name: string; contact: string } | null;
  messages: { from: 'customer' | 'agent'; internal?: true; text: string; hoursAgo: number }[];
  closed?: { hoursAgo: number; score: number };
}

/** Oldest first: one closed with a rating, one overdue, one that waits for the customer, one that has just come. */
const tickets: Ticket[] = [
  {
    subject: 'Sencha instead of oolong',
    status: 'closed',
    priority: 'normal',
    customer: null,
    messages: [
      { from: 'customer', text: 'I ordered oolong and got sencha. Can you swap it?', hoursAgo: 75 },
      { from: 'agent', text: 'Sorry! The oolong left today; keep the sencha.', hoursAgo: 73 },
      { from: 'customer', text: 'It has arrived. Thank you!', hoursAgo: 49 },
    ],
    closed: { hoursAgo: 48, score: 5 },
  },
  {
    subject: 'The cup arrived with a crack',
    status: 'new',
    priority: 'high',
    customer: { name: 'Ann', contact: 'ann@example.com' },
    messages: [
      { from: 'customer', text: 'The cup has a crack. Can I have my money back?', hoursAgo: 7 },
      { from: 'agent', internal: true, text: 'The third one from this batch.', hoursAgo: 6 },
    ],
  },
  {
    subject: 'Oolong for the spring menu',
    status: 'waiting',
    priority: 'urgent',
    customer: { name: 'Tea room on the corner', contact: 'orders@corner.example' },
    messages: [
      { from: 'customer', text: 'Do you have a hundred packs of oolong in stock?', hoursAgo: 5 },
      { from: 'agent', text: 'Eighty now, the rest on Monday. Shall we send both together?', hoursAgo: 3 },
    ],
  },
  {
    subject: 'Delivery to another address',
    status: 'new',
    priority: 'normal',
    customer: { name: 'Boris', contact: '+1 555 010 0142' },
    messages: [{ from: 'customer', text: 'Can you deliver to my office instead?', hoursAgo: 0 }],
  },
];

export async function seedDemoTickets(db: Db, projectId: string, subscriberId: string): Promise<void> {
  await insertDemoHelpdesk(db, projectId, tickets.length);
  for (const [index, ticket] of tickets.entries()) {
    const { subject, status, priority, customer, messages, closed } = ticket;
    const id = randomUUID();
    const told = messages.filter(({ internal }) => !internal);
    const [first, last] = [told[0], told.at(-1)];
    await insertDemoTicket(db, projectId, {
      id,
      number: index + 1,
      subject,
      status,
      priority,
      subscriberId: customer ? null : subscriberId,
      customer,
      createdAt: first?.hoursAgo ?? 0,
      waitingSince: !closed && last?.from === 'customer' ? last.hoursAgo : null,
      firstReplyAt: told.find(({ from }) => from === 'agent')?.hoursAgo ?? null,
      closedAt: closed?.hoursAgo ?? null,
      csatScore: closed?.score ?? null,
      preview: previewOf(last?.text ?? ''),
      words: searchedWords(projectId, [subject, first?.text, customer?.name, customer?.contact]),
    });
    for (const { internal = false, ...message } of messages) {
      await insertDemoMessage(db, id, { id: randomUUID(), internal, ...message });
    }
  }
}
