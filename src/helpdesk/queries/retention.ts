import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { BATCH, removeOld, repeatedDelete, type NextBatch, type Retention } from '../../db/retention';

/** What ends the rows of each table of this room. */
export const retention: Retention = {
  tickets: { after: `${limits.closedTicketDays} days after its close`, remove: removeOldTickets },
  ticket_messages: { with: 'tickets' },
  ticket_chats: { after: '2 days without a message', remove: removeOldChats },
  ticket_kept_messages: { after: '2 days', remove: removeOldKeptMessages },
  ticket_sweeps: {
    bounded:
      'A row ends a minute after the removal or the change that it belongs to, when no ticket is left.',
  },
  ticket_types: { bounded: `At most ${limits.ticketTypes} of each project.` },
  helpdesks: { bounded: 'One row for each project.' },
};

function removeOldTickets(db: Db): NextBatch {
  return removeOld(db, { table: 'tickets', id: 'id', age: 'closed_at', days: limits.closedTicketDays });
}

function removeOldChats(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_ticket_chats',
    `DELETE FROM ticket_chats WHERE (channel, platform_user_id, bot) IN (
       SELECT channel, platform_user_id, bot FROM ticket_chats WHERE updated_at < now() - interval '2 days'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}

function removeOldKeptMessages(db: Db): NextBatch {
  return repeatedDelete(
    db,
    'remove_old_ticket_kept_messages',
    `DELETE FROM ticket_kept_messages WHERE update_id IN (
       SELECT update_id FROM ticket_kept_messages WHERE received_at < now() - interval '2 days'
       LIMIT ${BATCH} FOR UPDATE SKIP LOCKED)`,
  );
}
