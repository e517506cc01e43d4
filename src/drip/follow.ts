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
  claimFollowed,
  leaveToRelay,
  migrateNext,
  recordFollowed,
  renewLease,
  shareFollowed,
  unparkNext,
  type FollowLease,
  type FollowedChain,
  type Walked,
} from './queries/follow';
import { delayEnd } from './steps';

interface FollowDeps {
  pool: pg.Pool;
  config: Pick<Config, 'HERALD_DRIP_SCALE'>;
}

/**
 * Has the enrolments of a chain follow its change, in batches with a transaction each: a chain can have 100,000, and
 * logins, tracked events and steps wait for the rows that one transaction locks. Each batch needs the lease, so that two
 * processes do not work on the same chain; the next holder goes on where a crash has left it.
 */
export async function followChain(
  { pool, config }: FollowDeps,
  lease: FollowLease,
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
        const chain = await shareFollowed(db, renewed);
        return chain && next(db, chain, from);
      });
      held = { ...renewed, wakeAt: walked?.wakeAt ?? renewed.wakeAt };
      last = walked?.last;
    }
  }
  await withTransaction(pool, async (db) => {
    if (await recordFollowed(db, held)) await removeUnusedVersions(db, lease.id);
  });
}

type NextBatch = (db: pg.PoolClient, chain: FollowedChain, walked: Walked) => Promise<Walked | null> | null;

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
export function startFollowRelay(deps: FollowDeps & Pick<Core, 'log'>): Relay {
  return startRelay<FollowLease>({
    name: 'drip-chains',
    sweepMs: 5_000,
    concurrency: 1,
    claim: (limit) => claimFollowed(deps.pool, limit),
    start: (lease) => followChain(deps, lease),
    log: deps.log,
  });
}
