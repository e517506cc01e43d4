import { randomUUID } from 'node:crypto';
import type { Db } from '../../base/db/pool';
import { insertDemoHelpdesk, insertDemoMessage, insertDemoTicket } from '../../domains/helpdesk/queries/demo';
import { previewOf } from '../../domains/helpdesk/ticket';
import { searchedWords } from '../../domains/helpdesk/words';

const subject = 'Oolong for the spring menu';
const customer = { name: 'Tea room on the corner', contact: 'orders@corner.example' };
const messages = [
  { from: 'customer', internal: false, text: 'Do you have a hundred packs of oolong in stock?', hoursAgo: 5 },
  { from: 'agent', internal: true, text: 'Eighty are in stock, more come on Monday.', hoursAgo: 4 },
  {
    from: 'agent',
    internal: false,
    text: 'Eighty now, the rest on Monday. Shall we send both together?',
    hoursAgo: 3,
  },
] as const;

/** A ticket that waits for the customer, so that it never becomes overdue. */
export async function seedDemoTicket(db: Db, projectId: string): Promise<void> {
  const id = randomUUID();
  const [question, , reply] = messages;
  await insertDemoHelpdesk(db, projectId);
  await insertDemoTicket(db, projectId, {
    id,
    subject,
    customer,
    createdAt: question.hoursAgo,
    firstReplyAt: reply.hoursAgo,
    preview: previewOf(reply.text),
    words: searchedWords(projectId, [subject, question.text, customer.name, customer.contact]),
  });
  for (const message of messages) await insertDemoMessage(db, id, { id: randomUUID(), ...message });
}
