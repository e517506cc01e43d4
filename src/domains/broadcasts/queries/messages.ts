import { cursorTime } from '../../../base/db/cursor-time';
import { row, rows } from '../../../base/db/query';
import { pageValues, type MessageStore, type StoredMessage } from '../../messages';

/** SQL: the template of a batch's message is rendered when it is sent, and until then, if it has a key, stored with the batch. */
const CONTENT = `CASE WHEN r.content ->> 'template' IS NOT NULL
  THEN r.content || jsonb_build_object('source', b.content->'templates'->(r.content->>'template'))
  ELSE coalesce(r.content, b.content) END`;

const OWN_SOURCES = ['batch', 'broadcast', 'scheduled', 'recurring'] as const;

const STORED = 'r.id, r.subscriber_id, r.channel, r.status, r.reason, r.content, r.ended_at';
const COLUMNS = `r.id, b.project_id, r.subscriber_id, b.source, b.source_id, r.channel, r.status, r.reason,
  ${CONTENT} AS content, b.created_at, r.ended_at, ${cursorTime('b.created_at')} AS cursor_at, b.id AS job_id`;

/** A recipient's message. */
const SELECT = `SELECT ${COLUMNS} FROM broadcast_recipients r JOIN broadcasts b ON b.id = r.broadcast_id
  WHERE r.is_message`;

/** SQL, for `pageValues`. */
const JOBS = `b.project_id = $1 AND b.source = ANY ($7::text[]) AND b.created_at <= coalesce($2::timestamptz, 'infinity')
    AND b.created_at >= coalesce($4::timestamptz, '-infinity')`;
const BEFORE = `r.id < CASE WHEN b.created_at = $2::timestamptz THEN $3::uuid
    ELSE 'ffffffff-ffff-ffff-ffff-ffffffffffff' END`;
const NEWEST = 'ORDER BY b.created_at DESC, r.id DESC LIMIT $5';

/** SQL: job by job, the newest first, and in each by the index of each status. */
const ofJobs = (condition: string) => `SELECT ${COLUMNS} FROM broadcasts b CROSS JOIN LATERAL (
    SELECT ${STORED} FROM unnest($6::text[]) AS wanted (status) CROSS JOIN LATERAL (
      SELECT ${STORED} FROM broadcast_recipients r
      WHERE r.broadcast_id = b.id AND r.status = wanted.status AND r.is_message AND ${BEFORE}
      ORDER BY r.id DESC LIMIT $5) r
    ORDER BY r.id DESC LIMIT $5) r
  WHERE ${condition} AND $9::uuid IS NULL AND ${JOBS} ${NEWEST}`;
const OF_SOURCE = ofJobs('b.source_id = $8');
const OF_PROJECT = ofJobs('$8::uuid IS NULL');
const OF_SUBSCRIBER = `${SELECT} AND r.subscriber_id = $9 AND r.status = ANY ($6::text[])
    AND ($8::uuid IS NULL OR b.source_id = $8) AND ${BEFORE} AND ${JOBS} ${NEWEST}`;

/** Messages of broadcasts and batches, for the log of `messages`. */
export const broadcastMessages: MessageStore = {
  list(db, projectId, filter) {
    const values = pageValues(projectId, filter, OWN_SOURCES);
    if (filter.subscriberId !== null) {
      return rows<StoredMessage>(db, 'list_broadcast_messages_of_subscriber', OF_SUBSCRIBER, values);
    }
    return filter.sourceId === null
      ? rows<StoredMessage>(db, 'list_broadcast_messages', OF_PROJECT, values)
      : rows<StoredMessage>(db, 'list_broadcast_messages_of_source', OF_SOURCE, values);
  },

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
