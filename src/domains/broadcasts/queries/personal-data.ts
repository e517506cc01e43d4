import { BATCH_ROWS } from '../../../base/db/batches';
import type { Person, PersonalData } from '../../../base/db/personal-data';
import type { Db } from '../../../base/db/pool';
import { change } from '../../../base/db/query';
import { ERASED_SUBSCRIBER_ID } from '../../subscribers';
import { COUNTS_UNSUBSCRIBED } from './stats';

export const personalData: PersonalData = {
  tables: {
    broadcast_recipients: {
      held: {
        as: 'broadcasts',
        columns: `t.broadcast_id AS job_id, t.id AS delivery_id, t.ref, t.channel, coalesce(t.content, b.content) AS content,
        t.status, t.reason, t.error, b.created_at, t.ended_at`,
        from: 'broadcast_recipients t JOIN broadcasts b ON b.id = t.broadcast_id',
        where: 't.subscriber_id = person.id',
        order: ['b.created_at', 't.id'],
      },
      removal: 'erase',
    },
  },
  // Those that the removal still counts or ends are left to its transaction.
  eraseNext: (pool, person) =>
    eraseRecipients(
      pool,
      person,
      `AND status NOT IN ('queued', 'sending') AND NOT (${COUNTS_UNSUBSCRIBED}) LIMIT ${BATCH_ROWS}`,
    ),
  async erase(db, person) {
    await eraseRecipients(db, person);
  },
};

/** A recipient counts towards its broadcast after the removal. */
function eraseRecipients(db: Db, { id }: Person, which = ''): Promise<number> {
  return change(
    db,
    which ? 'erase_next_recipients' : 'erase_recipients',
    `UPDATE broadcast_recipients SET subscriber_id = '${ERASED_SUBSCRIBER_ID}', platform_message_id = NULL, media_message_id = NULL,
       error = NULL, content = NULL, ref = NULL
     WHERE id IN (SELECT id FROM broadcast_recipients WHERE subscriber_id = $1 ${which})`,
    [id],
  );
}
