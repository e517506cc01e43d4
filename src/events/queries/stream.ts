import { limits } from '../../contract/limits';
import type { Db } from '../../db/pool';
import { row, rows } from '../../db/query';

/** A place between two events of a project, in the order of their transactions. */
export interface StreamPlace {
  xid: string;
  id: string;
}

export interface StreamedEvent extends StreamPlace {
  name: string;
  /** As it is delivered. */
  body: string;
  test: boolean;
  created_at: Date;
}

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
const OLDEST_OPEN = 'pg_snapshot_xmin(pg_current_snapshot())';
const RECENT = `created_at > now() - interval '${limits.eventStreamMinutes} minutes'`;

/** The place before every event that commits from now on, those of open transactions included. */
export async function endOfStream(db: Db): Promise<StreamPlace> {
  const found = await row<{ xid: string }>(db, 'end_of_stream', `SELECT ${OLDEST_OPEN}::text AS xid`);
  if (!found) throw new Error('the end of the stream was not read');
  return { xid: found.xid, id: BEFORE_ALL_IDS };
}

/** The same place in a later request; null if the server has not been there, as after the restore of a backup. */
export function knownPlace(db: Db, { xid, id }: StreamPlace): Promise<StreamPlace | null> {
  return row(
    db,
    'known_stream_place',
    `SELECT $1::text AS xid, $2::uuid AS id WHERE $1::text::xid8 <= pg_snapshot_xmax(pg_current_snapshot())`,
    [xid, id],
  );
}

/** The place after an event; null if the project has no such event, or it is too old. */
export function placeAfter(db: Db, projectId: string, eventId: string): Promise<StreamPlace | null> {
  return row(
    db,
    'stream_place_after',
    // A transaction of the future is that of a restored backup, whose numbers were those of another server.
    `SELECT xid::text AS xid, id FROM events
     WHERE id = $2 AND project_id = $1 AND ${RECENT} AND xid < pg_snapshot_xmax(pg_current_snapshot())`,
    [projectId, eventId],
  );
}

/**
 * The next events after `place`. Never one whose transaction is younger than one that is still open: the open one could
 * commit an event before it, and the reader would already be past it.
 */
export function readStream(
  db: Db,
  projectId: string,
  { xid, id }: StreamPlace,
  limit: number,
): Promise<StreamedEvent[]> {
  return rows(
    db,
    'read_stream',
    `SELECT xid::text AS xid, id, name, body, test, created_at FROM events
     WHERE project_id = $1 AND (xid, id) > ($2::text::xid8, $3::uuid) AND xid < ${OLDEST_OPEN}
       AND ${RECENT}
     ORDER BY xid, id LIMIT $4`,
    [projectId, xid, id, limit],
  );
}
