import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { eventRegistry } from '../../src/domains/events/contract';
import { newApiKey } from '../../src/base/lib/tokens';
import { insertApiKey } from '../../src/domains/projects/queries/keys';
import { createCaller, untilNoneLeft } from '../chaos/caller';
import type { Invariant } from '../chaos/invariants';
import type { Load } from '../chaos/load';
import type { ClusterFixture } from './fixture';

/** One way; a call that took 1 ms to the database, or 5 ms to Temporal, takes more than ten times as long. */
const DELAYS_MS = { temporal: 50, database: 5 };
const CALM_MS = 15_000;
const SLOW_MS = 45_000;
/** Without progress. Bulk events are served last: none of them moves before the backlog of the other projects is delivered. */
const STUCK_MS = 300_000;
/** Publishers of the bulk project, each with requests of a hundred events. */
const PUBLISHERS = 4;
/** Small, so that a test of a minute can fill it. */
const QUEUED_DELIVERIES = 500;
/** Resident memory of a process, in megabytes. */
const MOST_MEMORY_MB = 700;
const LOGIN_LIMIT_MS = 15_000;

interface Phase {
  name: string;
  slow: (ms: number) => void;
  ms: number;
}

/** A project publishes as fast as it can, while a server becomes slow. */
export async function slowDown(
  fixture: ClusterFixture,
  { seen, addEndpoint }: Pick<Load, 'seen' | 'addEndpoint'>,
  pool: pg.Pool,
  onProgress: (message: string) => void,
): Promise<Invariant[]> {
  const phases: Phase[] = [
    { name: 'Temporal', slow: (ms) => fixture.temporal.proxy.delay(ms), ms: DELAYS_MS.temporal },
    { name: 'the database', slow: (ms) => fixture.postgres.address.delay(ms), ms: DELAYS_MS.database },
  ];
  const found: Invariant[] = [];
  const bulk = await startBulk(fixture, addEndpoint, pool);
  const memory = watchMemory(fixture);
  try {
    onProgress('a project publishes as fast as it can');
    await sleep(CALM_MS);
    for (const { name, slow, ms } of phases) {
      onProgress(`${name} responds ${2 * ms} ms later`);
      const before = { ...seen.calls, confirmed: seen.confirmedAfter.length };
      bulk.reset();
      slow(ms);
      await sleep(SLOW_MS);
      const logins = seen.confirmedAfter.slice(before.confirmed).sort((one, other) => one - other);
      const failed = seen.calls.lost + seen.calls.errors - before.lost - before.errors;
      const shed = seen.calls.shed - before.shed;
      const p95 = logins[Math.floor(logins.length * 0.95)] ?? Infinity;
      slow(0);
      bulk.pause();
      const recovered = await untilDrained(pool, fixture.bulkProject.id);
      bulk.resume();
      found.push(
        {
          invariant: `logins are answered while ${name} is slow`,
          holds: logins.length > 0 && p95 < LOGIN_LIMIT_MS && failed === 0 && shed === 0,
          detail: `${logins.length} logins, p95 ${p95} ms from the tap to the code, ${failed} requests failed, ${shed} shed`,
        },
        {
          invariant: `bulk work is shed with 429 or 503 while ${name} is slow`,
          holds: bulk.counts.shed > 0 && bulk.counts.failed === 0,
          detail: `${bulk.counts.accepted} requests accepted, ${bulk.counts.shed} shed, ${bulk.counts.failed} failed`,
        },
        {
          invariant: `what waited because of ${name} is delivered without help`,
          holds: recovered.isDrained,
          detail: recovered.detail,
        },
      );
    }
  } finally {
    for (const { slow } of phases) slow(0);
    memory.stop();
    await bulk.stop();
  }
  found.push({
    invariant: 'the memory of every process is bounded',
    holds: memory.most().megabytes < MOST_MEMORY_MB,
    detail: `at most ${memory.most().megabytes} MB (${memory.most().name})`,
  });
  return found;
}

interface Bulk {
  /** Requests of a hundred events. */
  counts: { accepted: number; shed: number; failed: number };
  reset(): void;
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

async function startBulk(
  { apiUrl, bulkProject }: ClusterFixture,
  addEndpoint: Load['addEndpoint'],
  pool: pg.Pool,
): Promise<Bulk> {
  const none = { accepted: 0, shed: 0, failed: 0 };
  const counts = { ...none };
  await addEndpoint(createCaller({ apiUrl, apiKey: bulkProject.apiKey }));
  const { key, hash, hint } = newApiKey();
  await insertApiKey(pool, { project_id: bulkProject.id, hash, hint, scopes: ['publish'] });
  const publisher = createCaller({ apiUrl, apiKey: key });
  await pool.query('UPDATE projects SET queued_deliveries = $2 WHERE id = $1', [
    bulkProject.id,
    QUEUED_DELIVERIES,
  ]);
  let stopped = false;
  let paused = false;
  const data = eventRegistry['form.submitted'].example;
  const events = Array.from({ length: 100 }, () => ({ event: 'form.submitted', data }));
  async function publish(): Promise<void> {
    while (!stopped) {
      await sleep(50);
      if (paused) continue;
      const { status } = await publisher.call('POST', '/v1/publish', { events });
      if (status === 202) counts.accepted += 1;
      else if (status === 429 || status === 503) counts.shed += 1;
      else counts.failed += 1;
    }
  }
  const running = Array.from({ length: PUBLISHERS }, publish);
  return {
    counts,
    reset: () => void Object.assign(counts, none),
    pause: () => void (paused = true),
    resume: () => void (paused = false),
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

const UNATTEMPTED = `d.project_id = $1 AND d.status = 'pending' AND d.scheduled_attempts = 0`;

/** Only what the project has published: the other load goes on. */
async function untilDrained(
  pool: pg.Pool,
  projectId: string,
): Promise<{ isDrained: boolean; detail: string }> {
  const began = Date.now();
  const isDrained = await untilNoneLeft(STUCK_MS, async () => {
    const { rows } = await pool.query<{ count: number }>(
      `SELECT count(*) FROM deliveries d WHERE ${UNATTEMPTED}`,
      [projectId],
    );
    return rows[0]?.count ?? 0;
  });
  if (isDrained) return { isDrained, detail: `after ${Math.round((Date.now() - began) / 1000)} s` };
  return { isDrained, detail: `it stands still: ${await whatIsLeft(pool, projectId)}` };
}

/** Which part holds them, and since when. */
async function whatIsLeft(pool: pg.Pool, projectId: string): Promise<string> {
  const { rows } = await pool.query<{ count: number; place: string; seconds: number; example: string }>(
    `SELECT count(*), coalesce(q.holder, CASE WHEN q IS NULL THEN 'not queued' WHEN q.is_first THEN 'waits' ELSE 'waits again' END)
         || coalesce(' in lane ' || d.lane, '') AS place,
       max(extract(epoch FROM clock_timestamp() - coalesce(q.claimed_at, q.due_at, d.created_at))::int) AS seconds,
       min(d.id::text) AS example
     FROM deliveries d LEFT JOIN delivery_queue q ON q.delivery_id = d.id WHERE ${UNATTEMPTED} GROUP BY place`,
    [projectId],
  );
  return rows
    .map(({ count, place, seconds, example }) => `${count} ${place} (up to ${seconds} s, ${example})`)
    .join(', ');
}

function watchMemory({ roles }: ClusterFixture) {
  let most = { name: '', megabytes: 0 };
  const timer = setInterval(() => {
    for (const { name, pid } of roles) {
      const megabytes = residentMegabytes(pid());
      if (megabytes > most.megabytes) most = { name, megabytes };
    }
  }, 1_000);
  return { most: () => most, stop: () => clearInterval(timer) };
}

function residentMegabytes(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}
