import { notifyAfterCommit, notifyChannels } from '../../db/notify';
import type { Db } from '../../db/pool';
import { change, row, rows } from '../../db/query';
import type { ChainStatus, Step } from '../contract';

/** What the enrolments of a chain have yet to follow. */
export interface FollowedChain {
  id: string;
  status: ChainStatus;
  deleted: boolean;
  migrate_version: number | null;
  /** Of that version. */
  migrate_steps: Step[] | null;
  /** As text: a `Date` has no microseconds. */
  follow_at: string | null;
}

/** Claims chains whose enrolments are not all updated: the request reached its time limit, or its process died. */
export function claimFollowed(db: Db, limit: number): Promise<{ id: string }[]> {
  return rows(
    db,
    'claim_followed_drip_chains',
    `UPDATE drip_chains SET follow_at = ${LEASE} WHERE id IN (
       SELECT id FROM drip_chains WHERE follow_at <= now() ORDER BY follow_at LIMIT $1 FOR UPDATE SKIP LOCKED)
     RETURNING id`,
    [limit],
  );
}

/** Longer than a chain of 100,000 enrolments takes. If two processes overlap, they only repeat work. */
const LEASE = "clock_timestamp() + interval '1 minute'";

/** The caller holds the chain's lock and calls `followChain` after its commit; if its process dies, the relay does. */
export function recordToFollow(db: Db, id: string, migrateVersion: number | null): Promise<number> {
  return change(
    db,
    'drip_chain_to_follow',
    `UPDATE drip_chains SET follow_at = ${LEASE}, migrate_version = coalesce($2, migrate_version) WHERE id = $1`,
    [id, migrateVersion],
  );
}

/** The chain is not changed until the transaction ends. */
export async function shareFollowed(db: Db, id: string): Promise<FollowedChain | null> {
  await row(db, 'share_followed_drip_chain', 'SELECT id FROM drip_chains WHERE id = $1 FOR SHARE', [id]);
  return row<FollowedChain>(
    db,
    'read_followed_drip_chain',
    `SELECT c.id, c.status, c.deleted_at IS NOT NULL AS deleted, c.migrate_version, v.steps AS migrate_steps,
       c.follow_at::text AS follow_at
     FROM drip_chains c LEFT JOIN drip_versions v ON v.drip_id = c.id AND v.version = c.migrate_version
     WHERE c.id = $1`,
    [id],
  );
}

/** Unless the chain was changed again. */
export function recordFollowed(db: Db, { id, follow_at }: FollowedChain): Promise<number> {
  return change(
    db,
    'drip_chain_followed',
    `UPDATE drip_chains SET follow_at = NULL, migrate_version = NULL
     WHERE id = $1 AND follow_at = $2::text::timestamptz`,
    [id, follow_at],
  );
}

/** Makes the chain due for the relay. */
export function leaveToRelay(db: Db, { id, follow_at }: FollowedChain): Promise<number> {
  return change(
    db,
    'leave_drip_chain_to_relay',
    `UPDATE drip_chains SET follow_at = clock_timestamp() WHERE id = $1 AND follow_at = $2::text::timestamptz`,
    [id, follow_at],
  );
}

/** Rows of one transaction: another transaction waits for some tenths of a second at most. */
const BATCH = 1_000;

/** How many workflows of one chain are woken in a second, so that a large chain does not starve others. */
const WOKEN_PER_SECOND = 10;

/** How far a walk over the enrolments of a chain has come. */
export interface Walked {
  /** The last subscriber; enrolments are walked in their order. */
  last: string;
  /** Counted, because workflows are woken one after the other. */
  rows: number;
}

export const BEGINNING: Walked = { last: '00000000-0000-0000-0000-000000000000', rows: 0 };

/** SQL: the time at which the row with this place in the walk is woken. */
const PACED = `clock_timestamp() + make_interval(secs => ($2::int + chosen.place - 1) / ${WOKEN_PER_SECOND}::float8)`;

/** Changes the next rows; returns null if there was none. */
async function changeNext(
  db: Db,
  name: string,
  { chosen, order, set }: { chosen: string; order: string; set: string },
  walked: Walked,
  values: unknown[],
): Promise<Walked | null> {
  const done = await row<{ rows: number; last: string | null }>(
    db,
    name,
    `WITH chosen AS (
       SELECT id, subscriber_id, row_number() OVER () AS place FROM (
         SELECT id, subscriber_id FROM drip_enrolments
         WHERE drip_id = $1 AND ended_at IS NULL AND ${chosen}
         ORDER BY ${order} LIMIT ${BATCH}) next
     ), changed AS (
       UPDATE drip_enrolments e SET revision = e.revision + 1, ${set}
       FROM chosen WHERE e.id = chosen.id AND e.ended_at IS NULL RETURNING e.id
     )
     SELECT count(*)::int AS rows, (array_agg(subscriber_id ORDER BY place DESC))[1] AS last FROM chosen`,
    values,
  );
  if (!done?.last) return null;
  notifyAfterCommit(db, notifyChannels.drip);
  return { last: done.last, rows: walked.rows + done.rows };
}

/** With their chain. Workflows end when they are woken; enrolments that are parked have none. */
export function cancelNext(db: Db, dripId: string, walked: Walked): Promise<Walked | null> {
  return changeNext(
    db,
    'cancel_drip_enrolments',
    {
      chosen: 'subscriber_id > $3::uuid',
      order: 'subscriber_id',
      set: `status = 'cancelled', next_at = NULL, ended_at = clock_timestamp(), parked = false,
         wake_at = CASE WHEN NOT e.parked THEN ${PACED} END`,
    },
    walked,
    [dripId, walked.rows, walked.last],
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
      set: `parked = false, next_at = ${PACED}, wake_at = ${PACED}`,
    },
    walked,
    [dripId, walked.rows],
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
      set: `version = CASE WHEN e.step_id = ANY ($5::text[]) THEN $4 ELSE e.version END,
         next_at = coalesce(e.step_began_at + make_interval(secs => (
           SELECT ms / 1000 FROM unnest($6::text[], $7::float8[]) AS delay (step, ms) WHERE delay.step = e.step_id)), e.next_at),
         wake_at = CASE WHEN NOT e.parked THEN ${PACED} END`,
    },
    walked,
    [dripId, walked.rows, walked.last, version, ids, delays.map(({ id }) => id), delays.map(({ ms }) => ms)],
  );
}
