import type pg from 'pg';
import {
  AFTER_REQUEST,
  type BatchWork,
  beginNow,
  MORE,
  type Next,
  scheduleAt,
  unschedule,
} from '../../base/agenda';
import type { Config } from '../../base/config';
import { withTransaction, type Db } from '../../base/db/pool';
import type { Step } from './contract';
import { removeUnusedVersions } from './queries/chains';
import {
  cancelNext,
  deleteSync,
  endMigration,
  insertSync,
  lockSync,
  migrateNext,
  recordWalk,
  unparkNext,
  type Sync,
  type Walked,
} from './queries/sync';
import { delayEnd } from './steps';

interface SyncDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_DRIP_SCALE'>;
}

interface ChainRef {
  id: string;
  project_id: string;
}

const DRIP_SYNCS = 'drip-syncs';

/** Records that a change of a chain must be applied to its enrolments. The caller holds the chain's lock. */
export async function beginSync(db: Db, chain: ChainRef, migrateVersion: number | null): Promise<void> {
  await insertSync(db, chain.id, migrateVersion);
  await scheduleAt(db, DRIP_SYNCS, [{ ...chain, at: AFTER_REQUEST }]);
}

/** The request that changes the chain applies the first batches itself, after its commit. */
export function syncNow(deps: SyncDeps, chain: ChainRef): Promise<void> {
  return beginNow(deps.pool, dripSyncs(deps), chain);
}

/**
 * Applies a change of a chain to its enrolments, in batches: a chain can have 100,000, and logins, tracked events and steps wait
 * for the rows that one transaction locks. Each batch commits together with the progress of the change.
 */
export function dripSyncs({ pool, config }: SyncDeps): BatchWork {
  return {
    name: DRIP_SYNCS,
    nextBatch: ({ id }) => withTransaction(pool, (db) => syncNext(db, id, config.HERALD_DRIP_SCALE)),
  };
}

/** Each batch reads the chain again, because it may have changed. */
async function syncNext(db: Db, id: string, scale: number): Promise<Next> {
  const sync = await lockSync(db, id);
  if (!sync) return null;
  const walked = await changeNext(db, id, sync, scale);
  if (walked) {
    await recordWalk(db, id, walked);
    return MORE;
  }
  if (isMigration(sync)) {
    await endMigration(db, id);
    // Enrolments may have left versions that are now unused.
    await removeUnusedVersions(db, id);
    return MORE;
  }
  await deleteSync(db, id);
  await unschedule(db, DRIP_SYNCS, [id]);
  return null;
}

/** A deleted chain cancels its enrolments. Any other one migrates them; if it is active, it then resumes the parked ones. */
function changeNext(db: Db, id: string, sync: Sync, scale: number): Promise<Walked | null> | null {
  if (sync.deleted) return cancelNext(db, id, sync);
  if (isMigration(sync)) {
    const { migrate_version: version, migrate_steps: steps } = sync;
    return steps && migrateNext(db, id, sync, { version, ...waitsOf(steps, scale) });
  }
  return sync.status === 'active' ? unparkNext(db, id, sync) : null;
}

function isMigration(sync: Sync): sync is Sync & { migrate_version: number } {
  return !sync.deleted && sync.migrate_version !== null;
}

function waitsOf(steps: readonly Step[], scale: number) {
  return {
    ids: steps.map(({ id }) => id),
    delays: steps.flatMap((step) =>
      step.type === 'delay' ? [{ id: step.id, ms: delayEnd(step, new Date(0), scale).getTime() }] : [],
    ),
  };
}
