import { BATCH_ROWS } from '../../db/batches';
import { notifyAfterCommit, notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import type { ChainStatus, Step } from '../contract';

/** A lease on the enrolments of a chain. It ends when it expires or when the chain is changed again. */
export interface SyncLease {
  id: string;
  /** As text: a `Date` has no microseconds. */
  until: string;
  /** When the next enrolment is woken; null for now. */
  wakeAt: string | null;
}

const LEASE_COLUMNS = 'id, sync_at::text AS until, sync_wake_at::text AS "wakeAt"';

/** Much longer than a batch takes. After a crash the relay claims the chain when the lease has expired. */
const LEASE = "clock_timestamp() + interval '15 seconds'";

/** Claims chains whose enrolments are not all updated: the request reached its time limit, or its process died. */
export function claimSyncs(db: Db, limit: number): Promise<SyncLease[]> {
  return rows(
    db,
    'claim_drip_syncs',
    `UPDATE drip_chains SET sync_at = ${LEASE} WHERE id IN (
       SELECT id FROM drip_chains WHERE sync_at <= now() ORDER BY sync_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING ${LEASE_COLUMNS}`,
    [limit],
  );
}

/** The caller holds the chain's lock and calls `syncEnrolments` after its commit; if its process dies, the relay does. */
export async function requestSync(db: Db, id: string, migrateVersion: number | null): Promise<SyncLease> {
  const lease = await row<SyncLease>(
    db,
    'request_drip_sync',
    `UPDATE drip_chains SET sync_at = ${LEASE}, sync_wake_at = NULL, migrate_version = coalesce($2, migrate_version)
     WHERE id = $1 RETURNING ${LEASE_COLUMNS}`,
    [id, migrateVersion],
  );
  if (!lease) throw new Error('the chain disappeared while it was locked');
  return lease;
}

/** Before each batch. Returns null if the chain was changed again, or another process has claimed it. */
export function renewLease(db: Db, { id, until, wakeAt }: SyncLease): Promise<SyncLease | null> {
  return row<SyncLease>(
    db,
    'renew_drip_chain_lease',
    `UPDATE drip_chains SET sync_at = ${LEASE}, sync_wake_at = $3::text::timestamptz
     WHERE id = $1 AND sync_at = $2::text::timestamptz RETURNING ${LEASE_COLUMNS}`,
    [id, until, wakeAt],
  );
}

/** Makes the chain due for the relay. */
export function leaveToRelay(db: Db, { id, until, wakeAt }: SyncLease): Promise<number> {
  return change(
    db,
    'leave_drip_chain_to_relay',
    `UPDATE drip_chains SET sync_at = clock_timestamp(), sync_wake_at = $3::text::timestamptz
     WHERE id = $1 AND sync_at = $2::text::timestamptz`,
    [id, until, wakeAt],
  );
}

/** The change has reached all enrolments, unless the lease was lost. Returns whether some may have left their version. */
export async function endSync(db: Db, { id, until }: SyncLease): Promise<boolean> {
  const ended = await row<{ migrated: boolean }>(
    db,
    'end_drip_sync',
    `WITH held AS (
       SELECT id, migrate_version FROM drip_chains WHERE id = $1 AND sync_at = $2::text::timestamptz FOR UPDATE)
     UPDATE drip_chains c SET sync_at = NULL, sync_wake_at = NULL, migrate_version = NULL
     FROM held WHERE c.id = held.id RETURNING held.migrate_version IS NOT NULL AS migrated`,
    [id, until],
  );
  return ended?.migrated ?? false;
}

/** What is to be applied to the enrolments of a chain. */
export interface SyncTarget {
  status: ChainStatus;
  deleted: boolean;
  migrate_version: number | null;
  /** Of that version. */
  migrate_steps: Step[] | null;
}

/** Until the transaction ends, the chain is not changed and no other process gets the lease. Null if one has it. */
export async function shareSyncTarget(db: Db, { id, until }: SyncLease): Promise<SyncTarget | null> {
  await row(db, 'share_drip_sync_target', 'SELECT id FROM drip_chains WHERE id = $1 FOR SHARE', [id]);
  return row<SyncTarget>(
    db,
    'read_drip_sync_target',
    `SELECT c.status, c.deleted_at IS NOT NULL AS deleted, c.migrate_version, v.steps AS migrate_steps
     FROM drip_chains c LEFT JOIN drip_versions v ON v.drip_id = c.id AND v.version = c.migrate_version
     WHERE c.id = $1 AND c.sync_at = $2::text::timestamptz`,
    [id, until],
  );
}

/** How many workflows of one chain are woken in a second, so that a large chain does not starve others. */
const WOKEN_PER_SECOND = 10;

/** How far a walk over the enrolments of a chain has come. */
export interface Walked {
  /** The last subscriber; enrolments are walked in their order. */
  last: string;
  /** When the next enrolment is woken; null for now. */
  wakeAt: string | null;
}

export const BEFORE_FIRST = '00000000-0000-0000-0000-000000000000';

/** SQL: when the first row of a batch is woken. */
const BATCH_WAKE_AT = 'greatest($2::text::timestamptz, statement_timestamp())';

const afterPlaces = (count: string) =>
  `${BATCH_WAKE_AT} + make_interval(secs => (${count}) / ${WOKEN_PER_SECOND}::float8)`;

/** SQL: when a chosen row is woken. */
const PACED = afterPlaces('chosen.place - 1');

/** Changes the next rows; returns null if there was none. */
async function changeNext(
  db: Db,
  name: string,
  { chosen, order, woken, set }: { chosen: string; order: string; woken: string; set: string },
  values: unknown[],
): Promise<Walked | null> {
  const done = await row<{ last: string | null; wakeAt: string | null }>(
    db,
    name,
    `WITH chosen AS (
       SELECT id, subscriber_id, count(*) FILTER (WHERE ${woken}) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) AS place
       FROM (
         SELECT id, subscriber_id, next_at, parked FROM drip_enrolments
         WHERE drip_id = $1 AND ended_at IS NULL AND ${chosen}
         ORDER BY ${order} LIMIT ${BATCH_ROWS}) next
     ), changed AS (
       UPDATE drip_enrolments e SET revision = e.revision + 1, ${set}
       -- Not IS NULL: it would let Postgres read every active enrolment for a batch, where it expects none.
       FROM chosen WHERE e.id = chosen.id AND num_nulls(e.ended_at) = 1 RETURNING e.id
     )
     SELECT (array_agg(subscriber_id ORDER BY subscriber_id DESC))[1] AS last,
       (${afterPlaces('max(place)')})::text AS "wakeAt"
     FROM chosen`,
    values,
  );
  if (!done?.last) return null;
  notifyAfterCommit(db, notifyChannels.drip);
  return { last: done.last, wakeAt: done.wakeAt };
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
      set: `status = 'cancelled', next_at = NULL, ended_at = clock_timestamp(), parked = false,
         wake_at = CASE WHEN NOT e.parked THEN ${PACED} END`,
    },
    [dripId, walked.wakeAt, walked.last],
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
      set: `parked = false, next_at = ${PACED}, wake_at = ${PACED}`,
    },
    [dripId, walked.wakeAt],
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
           SELECT ms / 1000 FROM unnest($6::text[], $7::float8[]) AS delay (step, ms) WHERE delay.step = e.step_id)), e.next_at),
         wake_at = CASE WHEN NOT e.parked THEN ${PACED} END`,
    },
    [
      dripId,
      walked.wakeAt,
      walked.last,
      version,
      ids,
      delays.map(({ id }) => id),
      delays.map(({ ms }) => ms),
    ],
  );
}
