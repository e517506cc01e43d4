import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { rows } from '../../../base/db/query';
import { withFanOut } from './emit';

export interface PublishedEvent {
  /** Of the row in `events`. */
  id: string;
  projectId: string;
  name: string;
  body: string;
  /** The sender's own id, if it gave one. Events of a project that share it are written together or not at all. */
  publishedId: string | null;
  /** Whom it is about. */
  subscriberId: string | null;
  traceparent: string | null;
}

/**
 * Writes the events that are not duplicates, their deliveries and their ids in one commit. Returns the number of
 * deliveries of each event that was written; an event without an entry is a duplicate.
 */
export async function writePublished(db: Db, events: PublishedEvent[]): Promise<Map<string, number>> {
  const projectIds = [...new Set(events.map(({ projectId }) => projectId))];
  const [written, deliveries] = await withFanOut(db, projectIds, events, (tx) => insertPublished(tx, events));
  return new Map(written.map(({ id }) => [id, deliveries.get(id) ?? 0]));
}

/** Ids are inserted in sorted order, so that requests with the same ids wait for each other and cannot deadlock. */
function insertPublished(db: Db, events: PublishedEvent[]): Promise<{ id: string }[]> {
  return rows(
    db,
    'insert_published_events',
    `WITH given AS (
       SELECT id, project_id, name, body, published_id, subscriber_id, traceparent
       FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[])
         AS g (id, project_id, name, body, published_id, subscriber_id, traceparent)
     ), fresh AS (
       INSERT INTO published_ids AS known (project_id, id, event_id)
       SELECT DISTINCT ON (project_id, published_id COLLATE "C") project_id, published_id, id FROM given
       WHERE published_id IS NOT NULL ORDER BY project_id, published_id COLLATE "C"
       ON CONFLICT (project_id, id) DO UPDATE SET event_id = excluded.event_id, created_at = excluded.created_at
         WHERE known.created_at < now() - interval '${limits.publishedIdDays} days'
       RETURNING known.project_id, known.id
     )
     INSERT INTO events (id, project_id, name, body, subscriber_id, traceparent)
     SELECT id, project_id, name, body, subscriber_id, traceparent FROM given
     WHERE published_id IS NULL OR (project_id, published_id) IN (SELECT fresh.project_id, fresh.id FROM fresh)
     ON CONFLICT (id) DO NOTHING
     RETURNING id`,
    [
      events.map(({ id }) => id),
      events.map(({ projectId }) => projectId),
      events.map(({ name }) => name),
      events.map(({ body }) => body),
      events.map(({ publishedId }) => publishedId),
      events.map(({ subscriberId }) => subscriberId),
      events.map(({ traceparent }) => traceparent),
    ],
  );
}
