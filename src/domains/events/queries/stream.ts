import { limits } from '../../../base/contract/limits';
import type { Db } from '../../../base/db/pool';
import { row, rows } from '../../../base/db/query';

/** After the event with this number, in the order in which the events of all projects were written. */
export type StreamPlace = number;

export interface StreamedEvent {
  id: string;
  seq: StreamPlace;
  name: string;
  /** As it is delivered. */
  body: string;
  test: boolean;
  created_at: Date;
}

const RECENT = `created_at > now() - interval '${limits.eventStreamMinutes} minutes'`;
const LAST = `pg_sequence_last_value('event_seq')`;
const LOCK_CLASS = 'uuid_hash(project_id)';

/**
 * Every transaction that writes events of these projects calls it first. The locks are shared, so writers never wait for each
 * other. The key holds the last number that was given out (its low 32 bits): those of the transaction are greater.
 */
export const LOCK_STREAMS = `SELECT count(pg_advisory_xact_lock_shared(${LOCK_CLASS}, ${LAST}::bit(32)::int))
       FROM unnest($1::uuid[]) AS written (project_id)`;

/**
 * The last place that a stream of the project may move to: no open transaction can still commit an event before it. The last
 * number is read before the locks, and what is read up to this place needs a later snapshot, hence a statement of its own. A
 * writer whose lock was not there yet gets greater numbers; the events of one that has released its lock are visible.
 */
export async function endOfStream(db: Db, projectId: string): Promise<StreamPlace> {
  const found = await row<{ place: number }>(
    db,
    'end_of_stream',
    // The subquery cannot be flattened, and the locks depend on its result.
    `SELECT coalesce(open.place, given.last) AS place
     FROM (SELECT $1::uuid AS project_id, ${LAST} AS last OFFSET 0) given
     CROSS JOIN LATERAL (
       SELECT min(given.last - (given.last - objid::bigint)::bit(32)::bigint) AS place FROM pg_locks
       WHERE locktype = 'advisory' AND objsubid = 2 AND classid = ${LOCK_CLASS}::oid
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) open`,
    [projectId],
  );
  if (!found) throw new Error('the end of the stream was not read');
  return found.place;
}

/** Whether the server has been there: not after the restore of a backup. */
export async function isKnownPlace(db: Db, place: StreamPlace): Promise<boolean> {
  const found = await row(db, 'known_stream_place', `SELECT WHERE $1::bigint <= ${LAST}`, [place]);
  return found !== null;
}

/** The place after an event; null if the project has no such event, or it is too old. */
export async function placeAfter(db: Db, projectId: string, eventId: string): Promise<StreamPlace | null> {
  const found = await row<{ seq: number }>(
    db,
    'stream_place_after',
    `SELECT seq FROM events WHERE id = $2 AND project_id = $1 AND ${RECENT}`,
    [projectId, eventId],
  );
  return found?.seq ?? null;
}

/** The next events after `place`, up to the end of the stream. */
export async function readStream(
  db: Db,
  projectId: string,
  place: StreamPlace,
  limit: number,
): Promise<StreamedEvent[]> {
  const end = await endOfStream(db, projectId);
  if (end <= place) return [];
  return rows(
    db,
    'read_stream',
    `SELECT seq, id, name, body, test, created_at FROM events
     WHERE project_id = $1 AND seq > $2 AND seq <= $3 AND ${RECENT}
     ORDER BY seq LIMIT $4`,
    [projectId, place, end, limit],
  );
}
