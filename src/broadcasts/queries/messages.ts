import { cursorTime } from '../../db/cursor-time';
import { row, rows } from '../../db/query';
import type { MessageSource, StoredMessage } from '../../messages';

/** A recipient's message. An entry of a batch without a subscriber has no channel and is no message. */
const SELECT = `SELECT r.id, b.project_id, r.subscriber_id, b.kind, r.channel, r.status, r.reason,
       coalesce(r.content, b.content) AS content, b.created_at, r.ended_at, ${cursorTime('b.created_at')} AS cursor_at
     FROM broadcast_recipients r JOIN broadcasts b ON b.id = r.broadcast_id WHERE r.channel <> ''`;

/** Messages of broadcasts and batches, for the log of `messages`. */
export const broadcastMessages: MessageSource = {
  list: (db, projectId, { subscriberId, before, limit }) =>
    rows<StoredMessage>(
      db,
      'list_broadcast_messages',
      `${SELECT} AND r.subscriber_id = $2 AND b.project_id = $1
         AND (b.created_at, r.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       ORDER BY b.created_at DESC, r.id DESC LIMIT $5`,
      [projectId, subscriberId, before?.at ?? null, before?.id ?? null, limit + 1],
    ),

  find: (db, id) => row<StoredMessage>(db, 'find_broadcast_message', `${SELECT} AND r.id = $1`, [id]),

  /** All messages of the broadcasts that were created in the last hours; those that have ended know their counts. */
  async count(db, projectId, hours) {
    const counted = await row<{ sent: number; failed: number }>(
      db,
      'count_broadcast_messages',
      `WITH broadcast AS (
         SELECT id, sent, failed, ended_at FROM broadcasts
         WHERE project_id = $1 AND created_at > now() - make_interval(hours => $2)
       ), part AS (
         SELECT sum(sent) AS sent, sum(failed) AS failed FROM broadcast WHERE ended_at IS NOT NULL
         UNION ALL
         SELECT count(*) FILTER (WHERE r.status = 'sent'), count(*) FILTER (WHERE r.status = 'failed')
         FROM broadcast b JOIN broadcast_recipients r ON r.broadcast_id = b.id WHERE b.ended_at IS NULL
       )
       SELECT coalesce(sum(sent), 0)::int AS sent, coalesce(sum(failed), 0)::int AS failed FROM part`,
      [projectId, hours],
    );
    return counted ?? { sent: 0, failed: 0 };
  },
};
