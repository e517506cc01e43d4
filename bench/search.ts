import type pg from 'pg';
import { indexNextEvents } from '../src/domains/webhooks/queries/search-index';
import { call } from './calls';
import { startBench } from './environment';
import { percentile } from './numbers';
import type { Figure } from './table';

/** Override with HERALD_BENCH_ROWS. */
const DELIVERIES = Number(process.env['HERALD_BENCH_ROWS'] ?? 1_000_000);
const REQUESTS = 20;
const GOAL_MS = 1_000;

/** Text that occurs once, and where. */
const RARE = Math.floor(DELIVERIES / 2);
/** Every event has one of these words. */
const GROUPS = 1_000;

const texts: Record<string, string> = {
  'a word of one event': `rare${RARE}`,
  'a phrase of one event': `Parcel rare${RARE} has not`,
  'a word of a thousandth of all events': 'group7x',
  'a word of every event': 'arrived',
  'text that begins inside a word': `are${RARE}`,
  'a word of no event': 'lighthouse',
};

/** Searches the deliveries of a project, a million in six days: the goal is a second, for the slowest request. */
export async function benchSearch(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const { pool } = bench.service.core;
  const url = bench.service.apiUrl ?? '';
  try {
    const project = await bench.createProject('search');
    const hook = { url: 'https://example.com/hook' };
    const { id = '' } = await call(url, project.api_key, 'POST', '/v1/webhooks', hook);
    process.stderr.write('  inserting deliveries\n');
    const inserted = await timed(() => insertDeliveries(pool, project.id, id));
    process.stderr.write('  writing their words\n');
    const indexed = await timed(() => indexAll(pool));
    await pool.query('VACUUM ANALYZE');
    const figures: Figure[] = [];
    for (const [name, text] of Object.entries(texts)) {
      const search = `/v1/deliveries?q=${encodeURIComponent(text)}`;
      figures.push(await measure(name, () => call(url, project.api_key, 'GET', search)));
    }
    return [...figures, costOf(inserted, indexed)];
  } finally {
    await bench.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function insertDeliveries(pool: pg.Pool, projectId: string, endpointId: string): Promise<void> {
  await pool.query(
    `WITH event AS (
       INSERT INTO events (project_id, name, body, created_at)
       SELECT $1, 'ticket.created', json_build_object('event', 'ticket.created', 'data', json_build_object(
           'ticket_id', gen_random_uuid(), 'subject', 'Parcel rare' || i || ' has not arrived',
           'group', 'group' || i % ${GROUPS} || 'x', 'channel', 'telegram', 'external_id', 'user-' || i % 50000,
           'subscriber_id', gen_random_uuid(), 'note', repeat(md5(i::text) || ' ', 4), 'priority', 'normal'))::text,
         now() - i * interval '6 days' / $3::int
       FROM generate_series(1, $3::int) i RETURNING id, created_at
     )
     INSERT INTO deliveries (project_id, endpoint_id, event_id, event_name, policy, status, attempts, ended_at, created_at)
     SELECT $1, $2, id, 'ticket.created', 'durable', 'succeeded', 1, created_at, created_at FROM event`,
    [projectId, endpointId, DELIVERIES],
  );
}

/** As the worker does it, without its pauses. A new installation has no events of the days before it. */
async function indexAll(pool: pg.Pool): Promise<void> {
  await pool.query(`UPDATE event_words_progress SET created_at = '-infinity'`);
  let indexed = 0;
  for (let seen = -1; seen !== 0; indexed += seen) seen = await indexNextEvents(pool);
  if (indexed < DELIVERIES) throw new Error(`only ${indexed} of ${DELIVERIES} events have their words`);
}

async function measure(name: string, search: () => Promise<unknown>): Promise<Figure> {
  const durations: number[] = [];
  for (let i = 0; i < REQUESTS; i += 1) durations.push(await timed(search));
  durations.sort((a, b) => a - b);
  const [p50, slowest] = [percentile(durations, 0.5), percentile(durations, 1)];
  return {
    name: `search for ${name}, ${DELIVERIES.toLocaleString('en')} deliveries: slowest of ${REQUESTS}`,
    value: `${slowest.toFixed(0)} ms (p50 ${p50.toFixed(0)} ms)`,
    baseline: `goal ${GOAL_MS} ms`,
    ratio: slowest / GOAL_MS,
    target: 1,
    atMost: true,
  };
}

/** What the search costs the write path: a worker does it after the event has been written. */
function costOf(inserted: number, indexed: number): Figure {
  const microseconds = (ms: number) => `${((ms * 1000) / DELIVERIES).toFixed(0)} µs`;
  return {
    name: 'words of an event for the search',
    value: microseconds(indexed),
    baseline: `${microseconds(inserted)} to insert event and delivery in bulk`,
    ratio: indexed / inserted,
  };
}
