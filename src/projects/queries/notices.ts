import type { Db } from '../../db/pool';
import { change } from '../../db/query';

/** Queues a message of the bot to each member who wants to be told, in the transaction of the event. */
export function queueNotices(db: Db, projectId: string, eventId: string): Promise<number> {
  return change(
    db,
    'queue_notices',
    `INSERT INTO member_notices (account_id, event_id)
     SELECT account_id, $2 FROM members WHERE project_id = $1 AND notify <> 'none'
     ON CONFLICT (event_id, account_id) DO NOTHING`,
    [projectId, eventId],
  );
}
