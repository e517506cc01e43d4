import { setTimeout as sleep } from 'node:timers/promises';
import { createPool } from '../../src/db/pool';
import { runHerald } from '../support/npm-start';
import { startChaosFixture, type ChaosFixture } from './fixture';
import { checkInvariants, unsettled, type Invariant } from './invariants';
import { startLoad, type Seen } from './load';
import type { Part } from './parts';
import { checkTickets } from './ticket-invariants';
import { startTicketLoad, type TicketsSeen } from './ticket-load';
import { seeded, type Random } from './random';

export interface ChaosOptions {
  seconds: number;
  seed: number;
  onProgress: (message: string) => void;
}

export interface ChaosReport {
  seed: number;
  faults: Record<string, number>;
  ends: Record<string, number>;
  settledAfterSeconds: number;
  seen: Pick<Seen, 'loginsBegun' | 'yes' | 'no'> & { failedCalls: number; written: number; replies: number };
  invariants: Invariant[];
}

/** A retried activity of a killed worker, the life of a session, and the retries after both. */
const SETTLE_LIMIT_MS = 180_000;

export async function runChaos({ seconds, seed, onProgress }: ChaosOptions): Promise<ChaosReport> {
  const random = seeded(seed);
  onProgress('starting Postgres, Temporal and the roles');
  const fixture = await startChaosFixture();
  try {
    const load = await startLoad(fixture, seeded(seed + 1));
    const tickets = startTicketLoad(fixture, seeded(seed + 2));
    try {
      const faults = await hurt(fixture.parts, random, seconds, onProgress);
      onProgress('everything is left alone: waiting until it has settled');
      await Promise.all(fixture.parts.map((part) => part.ready()));
      await Promise.all([load.stop(), tickets.stop()]);
      const { waited, invariants } = await judge(fixture, load.seen, tickets.seen);
      const { loginsBegun, yes, no } = load.seen;
      return {
        seed,
        faults,
        ends: fixture.ends(),
        settledAfterSeconds: Math.round(waited / 1000),
        seen: {
          loginsBegun,
          yes,
          no,
          failedCalls: load.seen.failedCalls() + tickets.seen.failedCalls(),
          written: tickets.seen.written.size,
          replies: tickets.seen.accepted.size,
        },
        invariants,
      };
    } finally {
      await load.close();
    }
  } finally {
    await fixture.stop();
  }
}

/** One fault after another, now and then two at once, never two on the same part. */
async function hurt(
  parts: Part[],
  random: Random,
  seconds: number,
  onProgress: (message: string) => void,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const busy = new Map<Part, Promise<void>>();
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    await sleep(random.between(800, 3_000));
    const part = random.pick(parts);
    const kind = random.pick(['kill', 'kill', 'pause'] as const);
    const ms = Math.round(kind === 'kill' ? random.between(0, 2_500) : random.between(500, 4_000));
    if (busy.has(part) || Date.now() > end) continue;
    onProgress(`${kind} ${part.name}, ${ms} ms`);
    counts[`${kind} ${part.name}`] = (counts[`${kind} ${part.name}`] ?? 0) + 1;
    busy.set(
      part,
      part[kind](ms).finally(() => busy.delete(part)),
    );
  }
  await Promise.all(busy.values());
  return counts;
}

async function judge(
  fixture: ChaosFixture,
  seen: Seen,
  tickets: TicketsSeen,
): Promise<{ waited: number; invariants: Invariant[] }> {
  const begun = Date.now();
  const pool = createPool({ url: fixture.databaseUrl, max: 2 });
  try {
    let open: string[] = [];
    do {
      await sleep(500);
      open = await unsettled(pool, fixture).catch((error: Error) => [error.message]);
    } while (open.length > 0 && Date.now() - begun < SETTLE_LIMIT_MS);
    const waited = Date.now() - begun;
    const stuck: Invariant = {
      invariant: 'no session, delivery, update or workflow is stuck',
      holds: open.length === 0,
      detail: open.length === 0 ? `all ended after ${Math.round(waited / 1000)} s` : open.join(', '),
    };
    const { code, stdout } = await runHerald(['doctor'], fixture.settings);
    const problems = stdout.split('\n').filter((line) => line.startsWith('PROBLEM'));
    const healthy: Invariant = {
      invariant: 'herald doctor finds nothing',
      holds: code === 0,
      detail: problems.join('; ') || 'healthy',
    };
    const invariants = [
      ...(await checkInvariants(pool, seen)),
      ...(await checkTickets(pool, fixture, tickets)),
    ];
    return { waited, invariants: [...invariants, stuck, healthy] };
  } finally {
    await pool.end();
  }
}
