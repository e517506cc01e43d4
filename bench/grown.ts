import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import pino from 'pino';
import { limits } from '../src/base/contract/limits';
import { withTransaction } from '../src/base/db/pool';
import { eventBody } from '../src/domains/events/contract';
import { runRetention } from '../src/process/operations/retention';
import { withoutIndexes } from './bulk';
import { call } from './calls';
import { startBench, type BenchEnvironment } from './environment';
import { createHeraldEndpoint, event, example, type HeraldEndpoint } from './herald';
import { runLoad } from './load';
import { insertSessions, polls, verifications } from './login-routes';
import { mean, median } from './numbers';
import { measureLatency, measureRate, type Begin } from './pace';
import { startBenchReceiver, type BenchReceiver } from './receiver';
import type { Figure } from './table';

/** Override with HERALD_BENCH_ROWS. */
const DELIVERIES = Number(process.env['HERALD_BENCH_ROWS'] ?? 1_000_000);
/** One statement checks the keys of all its rows at its end, and keeps them in memory until then. */
const AT_ONCE = 500_000;
const SUBSCRIBERS = 100_000;
const SESSIONS = 100_000;
const PROJECTS = 5;
const ROUNDS = 4;
/** What a round lets retention remove. */
const OLD_DELIVERIES = 20_000;
const OLD_DAYS = 40;

/** What a person opens. */
const pages = {
  'the log of deliveries': '/v1/deliveries?limit=50',
  'its failed ones': '/v1/deliveries?limit=50&status=failed',
  'its search for a word of no event': '/v1/deliveries?limit=50&q=lighthouse',
  'its search for a word of every event': '/v1/deliveries?limit=50&q=telegram',
  statistics: '/v1/webhooks/stats',
};
const PAGE_REQUESTS = 20;

interface Setup {
  bench: BenchEnvironment;
  receiver: BenchReceiver;
  project: { id: string; api_key: string };
  /** Of one of the projects whose deliveries grow. */
  readerKey: string;
  express: Begin;
  workflow: Begin;
}

/** Compares empty tables with tables that hold what retention keeps. */
export async function benchGrown(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_DELIVERY_LANE: 'express' });
  const receiver = await startBenchReceiver();
  try {
    const endpoints: HeraldEndpoint[] = [];
    const hook = `${receiver.url}/hook`;
    for (let i = 0; i < PROJECTS; i += 1) {
      endpoints.push(await createHeraldEndpoint(bench, `grown-express-${i}`, hook));
    }
    let turn = 0;
    const scene: Setup = {
      bench,
      receiver,
      project: await bench.createProject('grown-logins'),
      readerKey: endpoints[0]?.api_key ?? '',
      express: () => (endpoints[turn++ % PROJECTS] as HeraldEndpoint).begin(),
      workflow: (await createHeraldEndpoint(bench, 'grown-workflow', hook, 'workflow')).begin,
    };
    // Warm up compilers and caches, and collect statistics, before measuring.
    await measure(scene, 1);
    await bench.service.core.pool.query('VACUUM ANALYZE');
    const empty = await measure(scene, ROUNDS);
    process.stderr.write('  the tables grow\n');
    await grow(bench, scene.project.id);
    const grown = await measure(scene, ROUNDS);
    return Object.entries(grown).map(([name, { value, isWait }]) => {
      const before = empty[name]?.value ?? NaN;
      return {
        name: `${name} with grown tables`,
        value: value.toFixed(value < 100 ? 1 : 0),
        baseline: `empty ${before.toFixed(before < 100 ? 1 : 0)}`,
        ratio: value / before,
        target: isWait ? 1.2 : 0.8,
        ...(isWait ? { atMost: true } : {}),
      };
    });
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

type Measurements = Record<string, { value: number; isWait?: boolean }>;

async function measure(scene: Setup, rounds: number): Promise<Measurements> {
  const { bench, receiver, project, readerKey, express, workflow } = scene;
  const all: Record<string, number[]> = {};
  const record = (name: string, value: number) => (all[name] ??= []).push(value);
  const common = {
    url: bench.service.apiUrl ?? '',
    headers: { authorization: `Bearer ${project.api_key}` },
  };
  const pace = { concurrency: 16, seconds: 3 };
  for (let round = 0; round < rounds; round += 1) {
    const sessions = await insertSessions(bench, project.id, 12_000);
    record('polls per second', (await runLoad({ ...common, ...polls(sessions) }, pace)).perSecond);
    record(
      'verifications per second',
      (await runLoad({ ...common, ...verifications(sessions) }, pace)).perSecond,
    );
    record(
      'express deliveries per second',
      await measureRate(receiver, express, { count: 3_000, inFlight: 32 }),
    );
    await sleep(1_000);
    record(
      'workflow deliveries per second',
      await measureRate(receiver, workflow, { count: 150, inFlight: 16 }),
    );
    await sleep(3_000);
    record(
      'p50 at 25/s, express, ms',
      (await measureLatency(receiver, express, { perSecond: 25, seconds: 8 })).p50,
    );
    record(
      'p50 at 10/s, workflow, ms',
      (await measureLatency(receiver, workflow, { perSecond: 10, seconds: 8 })).p50,
    );
    for (const [name, path] of Object.entries(pages)) {
      const durations: number[] = [];
      for (let request = 0; request < PAGE_REQUESTS; request += 1) {
        const began = performance.now();
        await call(common.url, readerKey, 'GET', path);
        durations.push(performance.now() - began);
      }
      record(`p50 of ${name}, ms`, median(durations));
    }
    record('old deliveries removed per second', await removeOld(bench));
    // Codes of sessions that are not redeemed would expire while the tables grow, and the service would be busy with that.
    await bench.service.core.pool.query('DELETE FROM auth_sessions WHERE id = ANY($1)', [
      sessions.map(({ id }) => id),
    ]);
  }
  return Object.fromEntries(
    Object.entries(all).map(([name, values]) => [
      name,
      {
        value: mean(values),
        isWait: name.startsWith('p50'),
      },
    ]),
  );
}

async function grow({ service }: BenchEnvironment, projectId: string): Promise<void> {
  const { pool } = service.core;
  await pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, first_name, lang)
     SELECT $1, 'telegram', 'grown-' || i, i, 'Grown', 'en' FROM generate_series(1, $2::int) i`,
    [projectId, SUBSCRIBERS],
  );
  await pool.query(
    `INSERT INTO auth_sessions (project_id, flow, number, status, start_hash, hosted_hash, code_hash, created_at,
       expires_at, workflow_started_at)
     SELECT $1, 'session', -i, 'consumed', sha256(('s' || i)::bytea), sha256(('h' || i)::bytea), sha256(('c' || i)::bytea),
       now() - i * interval '1 minute', now() - i * interval '1 minute', now() FROM generate_series(1, $2::int) i`,
    [projectId, SESSIONS],
  );
  const client = await pool.connect();
  try {
    // With the default, a fill checkpoints every few seconds and writes each page to the WAL again after each.
    await client.query(`ALTER SYSTEM SET max_wal_size = '8GB'`);
    await client.query('SELECT pg_reload_conf()');
    await client.query(`SET maintenance_work_mem = '1GB'`);
    const tables = ['events', 'event_words', 'deliveries'];
    await withoutIndexes(client, tables, () => Promise.all([growFrom(pool, 0), growFrom(pool, 1)]));
    process.stderr.write('  the indexes are built\n');
    await client.query('VACUUM ANALYZE');
    await client.query('ALTER SYSTEM RESET max_wal_size');
    await client.query('SELECT pg_reload_conf()');
    // What the fill left to write must not run beside the measurement.
    await client.query('CHECKPOINT');
    process.stderr.write('  the tables have grown\n');
  } finally {
    client.release(true);
  }
}

/** Every second part, so that two connections share them. */
async function growFrom(pool: pg.Pool, first: number): Promise<void> {
  for (let part = first; part * AT_ONCE < DELIVERIES; part += 2) {
    const to = Math.min((part + 1) * AT_ONCE, DELIVERIES);
    await insertDeliveries(pool, { from: part * AT_ONCE + 1, to, of: DELIVERIES }, { first: 25, all: 25 });
    process.stderr.write(`  ${to.toLocaleString('en')} deliveries\n`);
  }
}

/** How many a second go once their retention is over, as a periodic run removes them. */
async function removeOld({ service, config }: BenchEnvironment): Promise<number> {
  const { pool } = service.core;
  const range = { from: 1, to: OLD_DELIVERIES, of: OLD_DELIVERIES };
  await insertDeliveries(pool, range, { first: OLD_DAYS, all: 0.01 });
  const log = pino({ level: 'error' }, pino.destination(2));
  const began = performance.now();
  const { events = 0 } = await runRetention({ pool, config, log });
  return events / ((performance.now() - began) / 1000);
}

/**
 * Succeeded deliveries, from the oldest on, with ids in the order of their time as Herald gives them: `first` days ago the first
 * one, and `all` of them over that many days. Recent ones have their words, as in the search's own table.
 */
async function insertDeliveries(
  pool: pg.Pool,
  range: { from: number; to: number; of: number },
  days: { first: number; all: number },
): Promise<void> {
  await withTransaction(pool, async (db) => {
    // Without the trigger, which has nothing to do for a success.
    await db.query('SET LOCAL session_replication_role = replica');
    await db.query(
      `WITH endpoint AS (
       SELECT id, project_id, row_number() OVER () - 1 AS n, count(*) OVER () AS count FROM endpoints
     ), moment AS (
       SELECT i, (i * $7::float8 / $5::int - $6::float8) * interval '1 day' AS shift FROM generate_series($3::int, $4::int) i
     ), grown AS MATERIALIZED (
       SELECT uuidv7(m.shift) AS event_id, uuidv7(m.shift) AS delivery_id, e.project_id, e.id AS endpoint_id, now() + m.shift AS at
       FROM moment m JOIN endpoint e ON e.n = m.i % e.count
     ), event AS (
       INSERT INTO events (id, project_id, name, body, created_at) SELECT event_id, project_id, $1, $2, at FROM grown
     ), words AS (
       INSERT INTO event_words (event_id, project_id, created_at, words)
       SELECT event_id, project_id, at, (SELECT to_tsvector('simple', $2)) FROM grown
       WHERE at > now() - interval '${limits.webhookSearchDays} days'
     ), delivery AS (
       INSERT INTO deliveries (id, project_id, endpoint_id, event_id, event_name, policy, status, attempts, ended_at, created_at)
       SELECT delivery_id, project_id, endpoint_id, event_id, $1, 'durable', 'succeeded', 1, at, at FROM grown
     )
     INSERT INTO attempts (delivery_id, number, requested, claimed_at, finished_at, http_status)
     SELECT delivery_id, 1, false, at, at, 200 FROM grown`,
      [event, eventBody(event, example), range.from, range.to, range.of, days.first, days.all],
    );
  });
}
