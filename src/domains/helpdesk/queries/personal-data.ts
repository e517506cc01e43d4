import { PERSON, personValues, type Person, type PersonalData } from '../../../base/db/personal-data';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import { rewriteRecordedResponses } from '../../../base/http/idempotency';
import { withoutIdsOf } from '../../subscribers';

const OF_USER = `t.channel = person.channel AND t.platform_user_id = person.platform_user_id`;
const FILES = `(SELECT coalesce(jsonb_agg(file - 'reference' - 'bot'), '[]') FROM jsonb_array_elements(t.attachments) AS file)`;

export const personalData: PersonalData = {
  tables: {
    tickets: {
      held: {
        as: 'tickets',
        columns: `t.id AS ticket_id, t.number, t.subject, t.status, t.priority, t.source, t.csat_score, t.created_at, t.closed_at`,
        from: 'tickets t',
        where: 't.subscriber_id = person.id',
        order: ['t.created_at', 't.id'],
      },
      removal: 'erase',
    },
    ticket_messages: {
      held: {
        as: 'ticket_messages',
        columns: `t.ticket_id, t.sender AS "from", t.internal, t.text, ${FILES} AS attachments, t.created_at`,
        from: 'ticket_messages t JOIN tickets k ON k.id = t.ticket_id',
        where: 'k.subscriber_id = person.id',
        order: ['t.created_at', 't.id'],
      },
      removal: 'erase',
    },
    // What the bot is in the middle of asking, and what waits for the answer: a day or two old at most.
    ticket_chats: { removal: 'erase' },
    // Not shown to any project: the customer has not said yet to which of them it was written.
    ticket_kept_messages: { removal: 'erase' },
  },
  async erase(db, person, { cipher }) {
    const values = personValues(person);
    await rewriteRecordedResponses(db, cipher, await recentRequestsOf(db, person), (text) =>
      withoutTexts(withoutIdsOf(person)(text)),
    );
    await change(
      db,
      'erase_ticket_messages',
      `${PERSON} UPDATE ticket_messages t SET text = '', attachments = '[]', chat_message_id = NULL FROM person, tickets k
       WHERE k.id = t.ticket_id AND k.subscriber_id = person.id AND t.sender <> 'system'`,
      values,
    );
    // Numbers, states and times stay. The foreign key ends the reference.
    await change(
      db,
      'erase_tickets',
      `${PERSON} UPDATE tickets t SET subject = NULL, preview = NULL, words = '', csat = NULL FROM person
       WHERE t.subscriber_id = person.id`,
      values,
    );
    await change(
      db,
      'erase_ticket_chats',
      `${PERSON} DELETE FROM ticket_chats t USING person
       WHERE ${OF_USER} AND (t.writing_project_id = person.project_id
         OR t.ticket_id IN (SELECT k.id FROM tickets k WHERE k.subscriber_id = person.id))`,
      values,
    );
    await change(
      db,
      'erase_ticket_kept_messages',
      `${PERSON} DELETE FROM ticket_kept_messages t USING person WHERE ${OF_USER} AND NOT EXISTS (
         SELECT 1 FROM subscribers s JOIN tickets k ON k.subscriber_id = s.id
         WHERE s.channel = person.channel AND s.platform_user_id = person.platform_user_id AND s.id <> person.id)`,
      values,
    );
  },
};

/** The requests of the last days that have created a ticket or a message: their ids are those of the rows. */
async function recentRequestsOf(db: Db, { id }: Person): Promise<string[]> {
  const found = await rows<{ id: string }>(
    db,
    'recent_ticket_requests_of_person',
    `SELECT k.id FROM tickets k WHERE k.subscriber_id = $1 AND k.created_at > now() - interval '2 days'
     UNION ALL SELECT m.id FROM tickets k JOIN ticket_messages m ON m.ticket_id = k.id
     WHERE k.subscriber_id = $1 AND m.created_at > now() - interval '2 days'`,
    [id],
  );
  return found.map((each) => each.id);
}

/** A recorded ticket or message, without what was written. */
function withoutTexts(response: string): string {
  const view = JSON.parse(response) as Record<string, unknown>;
  return JSON.stringify({
    ...view,
    ...('subject' in view && { subject: null, preview: null }),
    ...('text' in view && { text: '' }),
    ...('attachments' in view && { attachments: [] }),
  });
}
