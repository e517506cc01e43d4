import { cursorTime } from '../../db/cursor-time';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';
import type { MessageSource, StoredMessage } from '../source';

const CLICKS_SHOWN = 20;

const COLUMNS = `id, project_id, subscriber_id, kind, channel, status, reason, content, created_at, ended_at,
  ${cursorTime('created_at')} AS cursor_at`;

/** Single messages and one-time codes. */
export const singleMessages: MessageSource = {
  list: (db, projectId, { subscriberId, before, limit }) =>
    rows<StoredMessage>(
      db,
      'list_messages',
      `SELECT ${COLUMNS} FROM messages
       WHERE subscriber_id = $2 AND project_id = $1
         AND (created_at, id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
       ORDER BY created_at DESC, id DESC LIMIT $5`,
      [projectId, subscriberId, before?.at ?? null, before?.id ?? null, limit + 1],
    ),

  find: (db, id) =>
    row<StoredMessage>(db, 'find_message', `SELECT ${COLUMNS} FROM messages WHERE id = $1`, [id]),

  async count(db, projectId, hours) {
    const counted = await row<{ sent: number; failed: number }>(
      db,
      'count_messages',
      `SELECT (count(*) FILTER (WHERE status = 'sent'))::int AS sent, (count(*) FILTER (WHERE status = 'failed'))::int AS failed
       FROM messages WHERE project_id = $1 AND created_at > now() - make_interval(hours => $2)`,
      [projectId, hours],
    );
    return counted ?? { sent: 0, failed: 0 };
  },
};

/** The first taps on the buttons of messages, by message. */
export async function listClicks(db: Db, messageIds: string[]): Promise<Map<string, Date[]>> {
  const found = await rows<{ id: string; clicked_at: Date[] }>(
    db,
    'list_clicks',
    `SELECT id, ARRAY(SELECT c.clicked_at FROM button_clicks c WHERE c.delivery_id = id
       ORDER BY c.clicked_at LIMIT ${CLICKS_SHOWN}) AS clicked_at FROM unnest($1::uuid[]) AS given (id)`,
    [messageIds],
  );
  return new Map(found.map(({ id, clicked_at }) => [id, clicked_at]));
}
