import type { Channel } from '../../contract/common';
import type { Cursor } from '../../contract/cursor';
import { cursorTime } from '../../db/cursor-time';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';
import type { MessageRecord } from '../contract';
import type { StoredContent } from '../stored-content';

const CLICKS_SHOWN = 20;

export interface MessageLogRow {
  id: string;
  kind: MessageRecord['kind'];
  channel: Channel;
  status: MessageRecord['status'];
  reason: MessageRecord['reason'];
  /** Null for a one-time code. */
  content: StoredContent | null;
  created_at: Date;
  ended_at: Date | null;
  clicked_at: Date[];
  cursor_at: string;
}

/** Messages to one subscriber, single and of broadcasts. Returns one row more than the limit if there is another page. */
export function listMessages(
  db: Db,
  projectId: string,
  filter: { subscriberId: string; before: Cursor | null; limit: number },
): Promise<MessageLogRow[]> {
  return rows<MessageLogRow>(
    db,
    'list_messages',
    `WITH message AS (
       SELECT id, kind, channel, status, reason, content, created_at, ended_at
       FROM messages WHERE subscriber_id = $2 AND project_id = $1
       UNION ALL
       SELECT r.id, b.kind, r.channel, r.status, r.reason, coalesce(r.content, b.content), b.created_at, r.ended_at
       FROM broadcast_recipients r JOIN broadcasts b ON b.id = r.broadcast_id
       WHERE r.subscriber_id = $2 AND b.project_id = $1
     )
     SELECT m.id, m.kind, m.channel, m.status, m.reason, m.content, m.created_at, m.ended_at,
       ARRAY(SELECT c.clicked_at FROM button_clicks c WHERE c.delivery_id = m.id
             ORDER BY c.clicked_at LIMIT ${CLICKS_SHOWN}) AS clicked_at,
       ${cursorTime('m.created_at')} AS cursor_at
     FROM message m
     WHERE (m.created_at, m.id) < (coalesce($3::timestamptz, 'infinity'), coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
     ORDER BY m.created_at DESC, m.id DESC LIMIT $5`,
    [projectId, filter.subscriberId, filter.before?.at ?? null, filter.before?.id ?? null, filter.limit + 1],
  );
}

/** A single message, or one of a broadcast or a batch. An entry of a batch without a subscriber is no message. */
export function findMessage(
  db: Db,
  projectId: string,
  id: string,
): Promise<(MessageLogRow & { subscriber_id: string }) | null> {
  return row(
    db,
    'find_message',
    `WITH message AS (
       SELECT id, kind, subscriber_id, channel, status, reason, content, created_at, ended_at
       FROM messages WHERE id = $2 AND project_id = $1
       UNION ALL
       SELECT r.id, b.kind, r.subscriber_id, r.channel, r.status, r.reason, coalesce(r.content, b.content), b.created_at, r.ended_at
       FROM broadcast_recipients r JOIN broadcasts b ON b.id = r.broadcast_id
       WHERE r.id = $2 AND b.project_id = $1 AND r.channel <> ''
     )
     SELECT m.id, m.kind, m.subscriber_id, m.channel, m.status, m.reason, m.content, m.created_at, m.ended_at,
       ARRAY(SELECT c.clicked_at FROM button_clicks c WHERE c.delivery_id = m.id
             ORDER BY c.clicked_at LIMIT ${CLICKS_SHOWN}) AS clicked_at,
       ${cursorTime('m.created_at')} AS cursor_at
     FROM message m`,
    [projectId, id],
  );
}

/** Single messages of the last hours, and all messages of the broadcasts created in them. */
export async function countMessages(
  db: Db,
  projectId: string,
  hours: number,
): Promise<{ sent: number; failed: number }> {
  const counted = await row<{ sent: number; failed: number }>(
    db,
    'count_messages',
    `WITH broadcast AS (
       SELECT id, sent, failed, ended_at FROM broadcasts
       WHERE project_id = $1 AND created_at > now() - make_interval(hours => $2)
     ), part AS (
       SELECT count(*) FILTER (WHERE status = 'sent') AS sent, count(*) FILTER (WHERE status = 'failed') AS failed
       FROM messages WHERE project_id = $1 AND created_at > now() - make_interval(hours => $2)
       UNION ALL
       SELECT sum(sent), sum(failed) FROM broadcast WHERE ended_at IS NOT NULL
       UNION ALL
       SELECT count(*) FILTER (WHERE r.status = 'sent'), count(*) FILTER (WHERE r.status = 'failed')
       FROM broadcast b JOIN broadcast_recipients r ON r.broadcast_id = b.id WHERE b.ended_at IS NULL
     )
     SELECT coalesce(sum(sent), 0)::int AS sent, coalesce(sum(failed), 0)::int AS failed FROM part`,
    [projectId, hours],
  );
  return counted ?? { sent: 0, failed: 0 };
}
