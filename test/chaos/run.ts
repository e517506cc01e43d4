import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createPool } from '../../src/base/db/pool';
import { runHerald } from '../support/npm-start';
import { watchBacklog } from './backlog';
import { untilNoneLeft } from './caller';
import { startChaosFixture, type ChaosFixture } from './fixture';
import { checkInvariants, unsettled, type FaultTime, type Invariant } from './invariants';
import { startLoad, type Load, type Seen } from './load';
import { faultsOfParts, faultsOfWorld, type Fault } from './faults';
import { checkTickets } from './ticket-invariants';
import { startTicketLoad, type TicketsSeen } from './ticket-load';
import { seeded, type Random } from './random';

export interface ChaosOptions {
  seconds: number;
  seed: number;
  /** With all domains under load, and with wrong clocks, a full disk, DNS and messengers that fail, receivers that hang. */
  everything?: boolean;
  onProgress: (message: string) => void;
}

export interface ChaosReport {
  seed: number;
  faults: Record<string, number>;
  ends: Record<string, number>;
  seconds: number;
  settledAfterSeconds: number;
  seen: Pick<Seen, 'loginsBegun' | 'yes' | 'no'> & Seen['calls'] & { written: number; replies: number };
  invariants: Invariant[];
}

/** Without progress: longer than the longest step of the retry schedule that is waited for, ten minutes after the first attempt. */
const SETTLE_LIMIT_MS = 660_000;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seconds, seed, everything = false, onProgress } = options;
  const random = seeded(seed);
  onProgress('starting Postgres, Temporal and the roles');
  const fixture = await startChaosFixture({ hasWorld: everything });
  const pool = createPool({ url: fixture.databaseUrl, max: 2 });
  const backlog = watchBacklog(pool);
  const mayAdd = () => !backlog.isFull();
  try {
    const load = await startLoad(fixture, seeded(seed + 1), {
      mayAdd,
      ...(everything && { users: 2, domains: pool }),
    });
    const tickets = startTicketLoad(fixture, seeded(seed + 2), mayAdd);
    try {
      const possible = [...faultsOfParts(fixture, random), ...faultsOfWorld(fixture, load, random)];
      const { faults, times } = await hurt(possible, random, seconds, onProgress);
      onProgress('everything is left alone: waiting until it has settled');
      await Promise.all(fixture.parts.map((part) => part.ready()));
      await Promise.all([load.stop(), tickets.stop()]);
      const { waited, invariants } = await judge(fixture, load, tickets.seen, times);
      return {
        seed,
        seconds,
        faults,
        ends: fixture.ends(),
        settledAfterSeconds: Math.round(waited / 1000),
        seen: summaryOf(load.seen, tickets.seen),
        invariants,
      };
    } finally {
      await load.close();
    }
  } finally {
    backlog.stop();
    await pool.end();
    await fixture.stop();
  }
}

/** One fault after another, now and then two at once, never two of the same thing. */
async function hurt(
  possible: Fault[],
  random: Random,
  seconds: number,
  onProgress: (message: string) => void,
): Promise<{ faults: Record<string, number>; times: FaultTime[] }> {
  const times: FaultTime[] = [];
  const counts: Record<string, number> = {};
  const busy = new Map<object, Promise<void>>();
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    await sleep(random.between(800, 3_000));
    const { name, thing, run } = random.pick(possible);
    if (busy.has(thing) || Date.now() > end) continue;
    onProgress(name);
    counts[name] = (counts[name] ?? 0) + 1;
    const time = { from: Date.now(), to: Infinity };
    times.push(time);
    busy.set(
      thing,
      run().finally(() => {
        time.to = Date.now();
        busy.delete(thing);
      }),
    );
  }
  await Promise.all(busy.values());
  return { faults: counts, times };
}

export const summaryOf = (
  { loginsBegun, yes, no, calls }: Seen,
  { written, accepted }: TicketsSeen,
): ChaosReport['seen'] => ({
  loginsBegun,
  yes,
  no,
  ...calls,
  written: written.size,
  replies: accepted.size,
});

/** Waits until everything has come to its end, and compares what is left with what was seen. */
export async function judge(
  fixture: ChaosFixture,
  load: Pick<Load, 'seen' | 'domains'>,
  tickets: TicketsSeen,
  faults: FaultTime[],
): Promise<{ waited: number; invariants: Invariant[] }> {
  const begun = Date.now();
  const pool = createPool({ url: fixture.databaseUrl, max: 2 });
  try {
    let open: string[] = [];
    await untilNoneLeft(SETTLE_LIMIT_MS, async () => {
      open = await unsettled(pool, fixture, load).catch((error: Error) => [error.message]);
      return open.reduce((sum, text) => sum + Number(/^\d+/.exec(text)?.[0] ?? Infinity), 0);
    });
    const waited = Date.now() - begun;
    if (open.length > 0) await printOpenDeliveries(pool);
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
      ...(await checkInvariants(pool, load, faults)),
      ...(await checkTickets(pool, fixture, tickets)),
    ];
    return { waited, invariants: [...invariants, stuck, healthy] };
  } finally {
    await pool.end();
  }
}

/** The database is deleted after the run: what is open is looked at now. */
async function printOpenDeliveries(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(
    `SELECT id, policy, lane, started, underway, scheduled_attempts, first_attempt_at, next_attempt_at, overdue_at, last_error, now()
     FROM deliveries WHERE status = 'pending' ORDER BY created_at LIMIT 20`,
  );
  for (const row of rows) process.stderr.write(`open: ${JSON.stringify(row)}\n`);
}
