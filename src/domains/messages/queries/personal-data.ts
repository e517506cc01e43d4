import { BATCH_ROWS } from '../../../base/db/batches';
import type { Person, PersonalData } from '../../../base/db/personal-data';
import type { Db } from '../../../base/db/pool';
import { change, rows } from '../../../base/db/query';
import { rewriteRecordedResponses } from '../../../base/http/idempotency';
import { withoutIdsOf } from '../../subscribers';

/** Longer than a recorded response is kept. */
const RECENT_DAYS = 2;

export const personalData: PersonalData = {
  tables: {
    messages: {
      held: {
        as: 'messages',
        columns: `t.id AS delivery_id, t.source, t.source_id, t.channel, t.content, t.status, t.reason, t.error, t.created_at, t.attempted_at,
        t.ended_at`,
        from: 'messages t',
        where: 't.subscriber_id = person.id',
        order: ['t.created_at', 't.id'],
      },
      removal: { with: 'subscribers' },
    },
    button_clicks: {
      held: {
        as: 'button_clicks',
        columns: 't.delivery_id, t.button, t.clicked_at',
        from: 'button_clicks t',
        where: 't.subscriber_id = person.id',
        order: ['t.clicked_at', 't.update_id'],
      },
      removal: { with: 'subscribers' },
    },
    otp_codes: {
      held: {
        as: 'one_time_codes',
        columns: 't.purpose, t.status, t.attempts, t.created_at, t.expires_at',
        from: 'otp_codes t',
        where: 't.subscriber_id = person.id',
        order: ['t.created_at', 't.id'],
      },
      removal: { with: 'subscribers' },
    },
  },
  // The younger ones name the requests whose recorded responses are rewritten.
  eraseNext: (pool, { id }) =>
    change(
      pool,
      'erase_next_messages',
      `DELETE FROM messages WHERE id IN (
         SELECT id FROM messages WHERE subscriber_id = $1 AND created_at < now() - interval '${RECENT_DAYS} days'
           AND status NOT IN ('queued', 'sending') LIMIT ${BATCH_ROWS} FOR UPDATE SKIP LOCKED)`,
      [id],
    ),
  async erase(db, person, { cipher }) {
    await rewriteRecordedResponses(db, cipher, await recentRequestsOf(db, person), withoutIdsOf(person));
  },
};

/** The requests of the last days that have sent the person a message, by which their recorded responses are found. */
async function recentRequestsOf(db: Db, { id }: Person): Promise<string[]> {
  const found = await rows<{ request_id: string }>(
    db,
    'recent_requests_of_person',
    `SELECT request_id FROM messages WHERE subscriber_id = $1 AND created_at > now() - interval '${RECENT_DAYS} days'`,
    [id],
  );
  return found.map(({ request_id }) => request_id);
}
