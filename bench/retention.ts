import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import pino from 'pino';
import { withTransaction } from '../src/base/db/pool';
import { eventBody } from '../src/domains/events/contract';
import { runRetention } from '../src/process/operations/retention';
import { withoutIndexes } from './bulk';
import { startBench } from './environment';
import { createHeraldEndpoint, event, example } from './herald';
import { measureLatency } from './pace';
import { startBenchReceiver } from './receiver';
import type { Figure } from './table';

const OLD_DELIVERIES = 1_000_000;
const PER_DAY = 10_000_000;
const PACE = { perSecond: 100, seconds: 20 };

/** Deletes a million old deliveries while new ones are made. */
export async function benchRetention(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_LOG_LEVEL: 'error', HERALD_DELIVERY_LANE: 'express' });
  const receiver = await startBenchReceiver();
  const { pool } = bench.service.core;
  try {
    const { begin, id, project_id } = await createHeraldEndpoint(bench, 'retention', `${receiver.url}/hook`);
    process.stderr.write('  inserting old deliveries\n');
    await insertOld(pool, { project_id, id });
    await pool.query('VACUUM ANALYZE');
    await measureLatency(receiver, begin, { perSecond: 25, seconds: 5 });
    const alone = await measureLatency(receiver, begin, PACE);

    const stopping = new AbortController();
    const started = performance.now();
    const log = pino({ level: 'error' }, pino.destination(2));
    const run = runRetention({ pool, config: bench.config, log, signal: stopping.signal });
    const removed = run.then((affected) => ({
      count: affected['events'] ?? 0,
      seconds: (performance.now() - started) / 1000,
    }));
    // Let the run begin before measuring beside it.
    await sleep(1_000);
    const beside = await measureLatency(receiver, begin, PACE);
    const { count, seconds } = await removed;
    const perSecond = count / seconds;
    return [
      {
        name: 'old deliveries removed per second, beside 100 new ones per second',
        value: perSecond.toFixed(0),
        baseline: `10 million a day: ${(PER_DAY / 86_400).toFixed(0)}`,
        ratio: perSecond / (PER_DAY / 86_400),
        target: 3,
      },
      {
        name: 'p50 of deliveries beside the removal, ms',
        value: beside.p50.toFixed(1),
        baseline: `alone ${alone.p50.toFixed(1)}`,
        ratio: beside.p50 / alone.p50,
        target: 2,
        atMost: true,
      },
      {
        name: 'p99 of deliveries beside the removal, ms',
        value: beside.p99.toFixed(1),
        baseline: `alone ${alone.p99.toFixed(1)}`,
        ratio: beside.p99 / alone.p99,
        target: 2,
        atMost: true,
      },
      {
        name: 'old deliveries removed',
        value: count.toLocaleString('en'),
        baseline: `of ${OLD_DELIVERIES.toLocaleString('en')}`,
      },
    ];
  } finally {
    await receiver.stop();
    await bench.stop();
  }
}

/** As rows of 40 days ago, without triggers. */
async function insertOld(pool: pg.Pool, endpoint: { project_id: string; id: string }): Promise<void> {
  await withTransaction(pool, async (db) => {
    await db.query('SET LOCAL session_replication_role = replica');
    const insert = () =>
      db.query(
        `WITH event AS (
         INSERT INTO events (project_id, name, body, created_at)
         SELECT $1, $3, $4, now() - interval '40 days' - i * interval '8 milliseconds'
         FROM generate_series(1, $5::int) i RETURNING id, created_at
       ), delivery AS (
         INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, status, attempts, ended_at, created_at)
         SELECT $1, $2, id, $3, 'durable', 'succeeded', 1, created_at, created_at FROM event RETURNING id, created_at
       )
       INSERT INTO attempts (delivery_id, number, requested, claimed_at, finished_at, http_status)
       SELECT id, 1, false, created_at, created_at, 200 FROM delivery`,
        [endpoint.project_id, endpoint.id, event, eventBody(event, example), OLD_DELIVERIES],
      );
    await withoutIndexes(db, ['events', 'deliveries'], insert);
  });
}
