import { BATCH_ROWS } from '../../../base/db/batches';
import type { Db } from '../../../base/db/pool';
import { change, row, rows } from '../../../base/db/query';
import type { ChainStatus, Step } from '../contract';
import { scheduleEnrolments } from './enrolments';

/**
 * The caller holds the chain's lock. A change that has not been applied to all enrolments is applied together with this one, from
 * the first enrolment: `after_id` and the pace, which are reset, say how far it had come.
 */
export function insertSync(db: Db, id: string, migrateVersion: number | null): Promise<number> {
  return change(
    db,
    'insert_drip_sync',
    `INSERT INTO drip_syncs AS s (drip_id, migrate_version) VALUES ($1, $2)
     ON CONFLICT (drip_id) DO UPDATE SET migrate_version = coalesce(excluded.migrate_version, s.migrate_version),
       after_id = DEFAULT, paced_until = NULL`,
    [id, migrateVersion],
  );
}

/** The change that is applied to the enrolments of a chain, and how far it has come. */
export interface Sync extends Walked {
  status: ChainStatus;
  deleted: boolean;
  migrate_version: number | null;
  /** The steps of that version. */
  migrate_steps: Step[] | null;
}

/** Locks the chain and its change until the transaction ends. Null: the change has been applied. */
export async function lockSync(db: Db, id: string): Promise<Sync | null> {
  await row(db, 'share_synced_chain', 'SELECT id FROM drip_chains WHERE id = $1 FOR SHARE', [id]);
  await row(db, 'lock_drip_sync', 'SELECT drip_id FROM drip_syncs WHERE drip_id = $1 FOR UPDATE', [id]);
  return row<Sync>(
    db,
    'read_drip_sync',
    `SELECT c.status, c.deleted_at IS NOT NULL AS deleted, s.migrate_version, v.steps AS migrate_steps,
       s.after_id AS last, s.paced_until::text AS "pacedUntil"
     FROM drip_syncs s JOIN drip_chains c ON c.id = s.drip_id
     LEFT JOIN drip_versions v ON v.drip_id = c.id AND v.version = s.migrate_version
     WHERE s.drip_id = $1`,
    [id],
  );
}

export function recordWalk(db: Db, id: string, { last, pacedUntil }: Walked): Promise<number> {
  return change(
    db,
    'record_drip_walk',
    'UPDATE drip_syncs SET after_id = $2, paced_until = $3::text::timestamptz WHERE drip_id = $1',
    [id, last, pacedUntil],
  );
}

export function endMigration(db: Db, id: string): Promise<number> {
  return change(db, 'end_drip_migration', 'UPDATE drip_syncs SET migrate_version = NULL WHERE drip_id = $1', [
    id,
  ]);
}

export function deleteSync(db: Db, id: string): Promise<number> {
  return change(db, 'delete_drip_sync', 'DELETE FROM drip_syncs WHERE drip_id = $1', [id]);
}

/** How many workflows of one chain are woken in a second, so that a large chain does not starve others. */
const WOKEN_PER_SECOND = 10;

/** How far a walk over the enrolments of a chain has come. */
export interface Walked {
  /** The last subscriber; enrolments are walked in their order. */
  last: string;
  /** When the next enrolment is woken; null for now. As text: a `Date` has no microseconds. */
  pacedUntil: string | null;
}

/** SQL: when the first row of a batch is woken. */
const BATCH_WAKE_AT = 'greatest($2::text::timestamptz, statement_timestamp())';

const afterPlaces = (count: string) =>
  `${BATCH_WAKE_AT} + make_interval(secs => (${count}) / ${WOKEN_PER_SECOND}::float8)`;

/** SQL: when a chosen row is woken. */
const PACED = afterPlaces('chosen.place - 1');

/** Changes the next rows and wakes their workflows; returns null if no row was left. */
async function changeNext(
  db: Db,
  name: string,
  { chosen, order, woken, set }: { chosen: string; order: string; woken: string; set: string },
  values: unknown[],
): Promise<Walked | null> {
  const done = await rows<{
    id: string;
    project_id: string;
    subscriber_id: string;
    at: Date | null;
    pacedUntil: string;
  }>(
    db,
    name,
    `WITH chosen AS (
       SELECT id, project_id, subscriber_id, ${woken} AS is_woken,
         count(*) FILTER (WHERE ${woken}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS place
       FROM (
         SELECT id, project_id, subscriber_id, next_at, parked FROM drip_enrolments
         WHERE drip_id = $1 AND ended_at IS NULL AND ${chosen}
         ORDER BY ${order} LIMIT ${BATCH_ROWS}) next
     ), changed AS (
       UPDATE drip_enrolments e SET ${set}
       -- Not IS NULL: it would let Postgres read every active enrolment for a batch, where it expects none.
       FROM chosen WHERE e.id = chosen.id AND num_nulls(e.ended_at) = 1
     )
     SELECT id, project_id, subscriber_id, CASE WHEN is_woken THEN ${PACED} END AS at,
       (${afterPlaces('max(place) OVER ()')})::text AS "pacedUntil"
     FROM chosen ORDER BY subscriber_id`,
    values,
  );
  const last = done.at(-1);
  if (!last) return null;
  const due = done.flatMap(({ id, project_id, at }) => (at ? [{ id, project_id, at }] : []));
  await scheduleEnrolments(db, due);
  return { last: last.subscriber_id, pacedUntil: last.pacedUntil };
}

/** With their chain. Workflows end when they are woken; enrolments that are parked have none. */
export function cancelNext(db: Db, dripId: string, walked: Walked): Promise<Walked | null> {
  return changeNext(
    db,
    'cancel_drip_enrolments',
    {
      chosen: 'subscriber_id > $3::uuid',
      order: 'subscriber_id',
      woken: 'NOT parked',
      set: `status = 'cancelled', next_at = NULL, ended_at = clock_timestamp(), parked = false`,
    },
    [dripId, walked.pacedUntil, walked.last],
  );
}

/** Parked enrolments resume, most overdue first. */
export function unparkNext(db: Db, dripId: string, walked: Walked): Promise<Walked | null> {
  return changeNext(
    db,
    'unpark_drip_enrolments',
    {
      chosen: 'parked',
      order: 'next_at, id',
      woken: 'true',
      set: `parked = false, next_at = ${PACED}`,
    },
    [dripId, walked.pacedUntil],
  );
}

/**
 * Moves enrolments of earlier versions whose step still exists. A wait is computed anew from the beginning of its step:
 * `delays` are the steps that wait for a number of milliseconds. Workflows are woken, to read their rows.
 */
export function migrateNext(
  db: Db,
  dripId: string,
  walked: Walked,
  { version, ids, delays }: { version: number; ids: string[]; delays: { id: string; ms: number }[] },
): Promise<Walked | null> {
  return changeNext(
    db,
    'migrate_drip_enrolments',
    {
      chosen: 'subscriber_id > $3::uuid AND version < $4 AND step_id = ANY ($5::text[])',
      order: 'subscriber_id',
      woken: 'NOT parked',
      set: `version = CASE WHEN e.step_id = ANY ($5::text[]) THEN $4 ELSE e.version END,
         next_at = coalesce(e.step_began_at + make_interval(secs => (
           SELECT ms / 1000 FROM unnest($6::text[], $7::float8[]) AS delay (step, ms) WHERE delay.step = e.step_id)), e.next_at)`,
    },
    [
      dripId,
      walked.pacedUntil,
      walked.last,
      version,
      ids,
      delays.map(({ id }) => id),
      delays.map(({ ms }) => ms),
    ],
  );
}
