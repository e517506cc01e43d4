import type pg from 'pg';
import type { Config } from '../config';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { startRelay, type Relay } from '../temporal/relay';
import type { Step } from './contract';
import { removeUnusedVersions } from './queries/chains';
import {
  BEFORE_FIRST,
  cancelNext,
  claimSyncs,
  leaveToRelay,
  migrateNext,
  endSync,
  renewLease,
  shareSyncTarget,
  unparkNext,
  type SyncLease,
  type SyncTarget,
  type Walked,
} from './queries/sync';
import { delayEnd } from './steps';

interface SyncDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_DRIP_SCALE'>;
}

/**
 * Applies a change of a chain to its enrolments, in batches with a transaction each: a chain can have 100,000, and
 * logins, tracked events and steps wait for the rows that one transaction locks. Each batch needs the lease, so that two
 * processes do not work on the same chain; the next holder goes on where a crash has left it.
 */
export async function syncEnrolments(
  { pool, config }: SyncDeps,
  lease: SyncLease,
  { deadline = Infinity }: { deadline?: number } = {},
): Promise<void> {
  let held = lease;
  for (const next of batchesOf(lease.id, config.HERALD_DRIP_SCALE)) {
    for (let last: string | undefined = BEFORE_FIRST; last !== undefined;) {
      if (performance.now() > deadline) return void (await leaveToRelay(pool, held));
      const renewed = await renewLease(pool, held);
      if (!renewed) return;
      const from: Walked = { last, wakeAt: renewed.wakeAt };
      // Each batch reads the chain again, because it may have changed.
      const walked = await withTransaction(pool, async (db) => {
        const chain = await shareSyncTarget(db, renewed);
        return chain && next(db, chain, from);
      });
      held = { ...renewed, wakeAt: walked?.wakeAt ?? renewed.wakeAt };
      last = walked?.last;
    }
  }
  await withTransaction(pool, async (db) => {
    if (await endSync(db, held)) await removeUnusedVersions(db, lease.id);
  });
}

type NextBatch = (db: pg.PoolClient, chain: SyncTarget, walked: Walked) => Promise<Walked | null> | null;

function batchesOf(id: string, scale: number): NextBatch[] {
  return [
    (db, { deleted }, walked) => (deleted ? cancelNext(db, id, walked) : null),
    (db, { deleted, migrate_version: version, migrate_steps: steps }, walked) =>
      deleted || version === null || !steps
        ? null
        : migrateNext(db, id, walked, { version, ...waitsOf(steps, scale) }),
    (db, { deleted, status }, walked) => (deleted || status !== 'active' ? null : unparkNext(db, id, walked)),
  ];
}

function waitsOf(steps: readonly Step[], scale: number) {
  return {
    ids: steps.map(({ id }) => id),
    delays: steps.flatMap((step) =>
      step.type === 'delay' ? [{ id: step.id, ms: delayEnd(step, new Date(0), scale).getTime() }] : [],
    ),
  };
}

/** Goes on where a request has reached its time limit, or its process has died. */
export function startEnrolmentSync(deps: SyncDeps & Pick<Core, 'log'>): Relay {
  return startRelay<SyncLease>({
    name: 'drip-chains',
    sweepMs: 5_000,
    concurrency: 1,
    claim: (limit) => claimSyncs(deps.pool, limit),
    start: (lease) => syncEnrolments(deps, lease),
    log: deps.log,
  });
}
