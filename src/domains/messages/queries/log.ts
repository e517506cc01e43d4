import { cursorTime } from '../../../base/db/cursor-time';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';
import { pageValues, type MessageStore, type StoredMessage } from '../store';

const CLICKS_SHOWN = 20;

const OWN_SOURCES = ['send', 'otp', 'scheduled', 'drip', 'bot', 'ticket', 'form'] as const;

const STORED = `m.id, m.project_id, m.subscriber_id, m.source, m.source_id, m.channel, m.status, m.reason, m.content,
  m.created_at, m.ended_at`;
const COLUMNS = `${STORED}, ${cursorTime('m.created_at')} AS cursor_at, NULL AS job_id`;

/** SQL, for `pageValues`. */
const PAGE = `m.project_id = $1 AND m.created_at >= coalesce($4::timestamptz, '-infinity') AND (m.created_at, m.id)
    < (coalesce($2::timestamptz, 'infinity'), coalesce($3::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))`;
const NEWEST = 'ORDER BY m.created_at DESC, m.id DESC LIMIT $5';

/** SQL: by the index of each status, or of each source and status, so that a rare one is found without reading the others. */
const OF_SOURCE = `SELECT ${COLUMNS} FROM unnest($6::text[]) AS wanted (status) CROSS JOIN LATERAL (
    SELECT ${STORED} FROM messages m WHERE m.source_id = $8 AND m.status = wanted.status AND m.source = ANY ($7::text[])
      AND $9::uuid IS NULL AND ${PAGE} ${NEWEST}) m ${NEWEST}`;
const OF_PROJECT = `SELECT ${COLUMNS} FROM unnest($6::text[]) AS wanted (status)
  CROSS JOIN unnest($7::text[]) AS wanted_source (source) CROSS JOIN LATERAL (
    SELECT ${STORED} FROM messages m WHERE m.source = wanted_source.source AND m.status = wanted.status
      AND $8::uuid IS NULL AND $9::uuid IS NULL AND ${PAGE} ${NEWEST}) m ${NEWEST}`;
const OF_SUBSCRIBER = `SELECT ${COLUMNS} FROM messages m
  WHERE m.subscriber_id = $9 AND m.status = ANY ($6::text[]) AND m.source = ANY ($7::text[])
    AND ($8::uuid IS NULL OR m.source_id = $8) AND ${PAGE} ${NEWEST}`;

/** Single messages and one-time codes. */
export const singleMessages: MessageStore = {
  list(db, projectId, filter) {
    const values = pageValues(projectId, filter, OWN_SOURCES);
    if (filter.subscriberId !== null) {
      return rows<StoredMessage>(db, 'list_messages_of_subscriber', OF_SUBSCRIBER, values);
    }
    return filter.sourceId === null
      ? rows<StoredMessage>(db, 'list_messages', OF_PROJECT, values)
      : rows<StoredMessage>(db, 'list_messages_of_source', OF_SOURCE, values);
  },

  find: (db, id) =>
    row<StoredMessage>(db, 'find_message', `SELECT ${COLUMNS} FROM messages m WHERE m.id = $1`, [id]),

  async count(db, projectId, hours) {
    const counted = await row<{ sent: number; failed: number }>(
      db,
      'count_messages',
      `SELECT (count(*) FILTER (WHERE status = 'sent'))::int AS sent, (count(*) FILTER (WHERE status = 'failed'))::int AS failed
       FROM messages WHERE project_id = $1 AND source = ANY ($3::text[]) AND status IN ('sent', 'failed')
         AND created_at > now() - make_interval(hours => $2)`,
      [projectId, hours, OWN_SOURCES],
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
