import type pg from 'pg';
import type { Config } from '../config';
import type { Core } from '../core';
import { withTransaction } from '../db/pool';
import { startRelay, type Relay } from '../temporal/relay';
import type { Step } from './contract';
import { removeUnusedVersions } from './queries/chains';
import {
  BEGINNING,
  cancelNext,
  claimFollowed,
  leaveToRelay,
  migrateNext,
  recordFollowed,
  shareFollowed,
  unparkNext,
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
 * logins, tracked events and steps wait for the rows that one transaction locks. A repeated call goes on where a crash
 * has left it.
 */
export async function followChain(
  { pool, config }: FollowDeps,
  id: string,
  { deadline = Infinity }: { deadline?: number } = {},
): Promise<void> {
  const begun = await withTransaction(pool, (db) => shareFollowed(db, id));
  if (!begun?.follow_at) return;
  const scale = config.HERALD_DRIP_SCALE;
  const batches: NextBatch[] = [
    (db, { deleted }, walked) => (deleted ? cancelNext(db, id, walked) : null),
    (db, { deleted, migrate_version: version, migrate_steps: steps }, walked) =>
      deleted || version === null || !steps
        ? null
        : migrateNext(db, id, walked, { version, ...waitsOf(steps, scale) }),
    (db, { deleted, status }, walked) => (deleted || status !== 'active' ? null : unparkNext(db, id, walked)),
  ];
  for (const next of batches) {
    if (!(await walk(pool, id, next, deadline))) {
      await leaveToRelay(pool, begun);
      return;
    }
  }
  await withTransaction(pool, async (db) => {
    const isDone = (await recordFollowed(db, begun)) > 0;
    if (isDone && begun.migrate_version !== null) await removeUnusedVersions(db, id);
  });
}

type NextBatch = (db: pg.PoolClient, chain: FollowedChain, walked: Walked) => Promise<Walked | null> | null;

/** One batch after the other, each by the chain as it is then. Returns false if the deadline came first. */
async function walk(pool: pg.Pool, id: string, next: NextBatch, deadline: number): Promise<boolean> {
  for (let walked: Walked | null = BEGINNING; walked;) {
    if (performance.now() > deadline) return false;
    const from: Walked = walked;
    walked = await withTransaction(pool, async (db) => {
      const chain = await shareFollowed(db, id);
      return chain && next(db, chain, from);
    });
  }
  return true;
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
  return startRelay<{ id: string }>({
    name: 'drip-chains',
    sweepMs: 5_000,
    concurrency: 1,
    claim: (limit) => claimFollowed(deps.pool, limit),
    start: ({ id }) => followChain(deps, id),
    log: deps.log,
  });
}
