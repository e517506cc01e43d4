import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { startBench } from './environment';
import { startRoleProcesses } from './role-processes';
import type { Figure } from './table';

/** Override with HERALD_BENCH_ROWS. */
const ROWS = Number(process.env['HERALD_BENCH_ROWS'] ?? 1_000_000);
/** Exported before: the heap of a process that has just started grows for a while, whatever it does. */
const FEWER_ROWS = 100_000;
const SAMPLE_MS = 100;

interface Exported {
  rows: number;
  bytes: number;
  seconds: number;
  /** Resident memory of the API's process, in megabytes, oldest first. */
  memory: number[];
}

/** A million subscribers as CSV: the memory of the API's process must not depend on their number. */
export async function benchExport(): Promise<Figure[]> {
  const bench = await startBench({ HERALD_ROLES: 'api', HERALD_LOG_LEVEL: 'error' });
  const roles = await startRoleProcesses(bench);
  const { pool } = bench.service.core;
  const memory = async () => (await roles.memory()).api;
  try {
    const create = async (slug: string, rows: number) => {
      const project = await bench.createProject(slug);
      await pool.query(`UPDATE projects SET plan = 'basic' WHERE id = $1`, [project.id]);
      await insertSubscribers(pool, project.id, rows);
      return project.api_key;
    };
    const small = await create('export-small', FEWER_ROWS);
    process.stderr.write('  inserting subscribers\n');
    const large = await create('export-large', ROWS);
    await pool.query('VACUUM ANALYZE subscribers');
    const fewer = await download(roles.apiUrl, small, memory);
    const exported = await download(roles.apiUrl, large, memory);
    if (exported.rows !== ROWS) throw new Error(`${exported.rows} rows were exported instead of ${ROWS}`);
    return figuresOf(exported, Math.max(...fewer.memory));
  } finally {
    await roles.stop();
    await bench.stop();
  }
}

async function insertSubscribers(pool: pg.Pool, projectId: string, count: number): Promise<void> {
  await pool.query(
    `INSERT INTO subscribers (project_id, channel, platform_user_id, chat_id, external_id, first_name, username, lang, tags,
       permissions, properties, created_at)
     SELECT $1, 'telegram', i, i, 'user-' || i, 'Subscriber ' || i, 'subscriber_' || i, 'en', '{beta,vip}', '{news}',
       jsonb_build_object('city', 'Riga', 'orders', i), now() - i * interval '1 second'
     FROM generate_series(1, $2::int) i`,
    [projectId, count],
  );
}

async function download(url: string, key: string, memory: () => Promise<number>): Promise<Exported> {
  const started = performance.now();
  const response = await fetch(`${url}/v1/export/subscribers`, {
    headers: { authorization: `Bearer ${key}` },
  });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  let isOver = false;
  const samples: number[] = [];
  const watching = (async () => {
    while (!isOver) {
      samples.push(await memory());
      await sleep(SAMPLE_MS);
    }
  })();
  // The header row is no subscriber.
  let rows = -1;
  let bytes = 0;
  for await (const chunk of response.body) {
    const part = chunk as Uint8Array;
    bytes += part.length;
    for (let at = part.indexOf(10); at !== -1; at = part.indexOf(10, at + 1)) rows += 1;
  }
  const seconds = (performance.now() - started) / 1000;
  isOver = true;
  await watching;
  return { rows, bytes, seconds, memory: samples };
}

function figuresOf({ rows, bytes, seconds, memory }: Exported, peakOfFewer: number): Figure[] {
  const tenth = (n: number) =>
    Math.max(
      ...memory.slice(Math.floor((memory.length * n) / 10), Math.ceil((memory.length * (n + 1)) / 10)),
    );
  const mb = (value: number) => `${value.toFixed(0)} MB`;
  const peak = Math.max(...memory);
  const [early, late] = [tenth(1), tenth(9)];
  const name = `export of ${rows.toLocaleString('en')} rows`;
  return [
    {
      name: `${name}: rows per second`,
      value: Math.round(rows / seconds).toLocaleString('en'),
      baseline: `${mb(bytes / 2 ** 20)} in ${seconds.toFixed(1)} s`,
    },
    {
      name: `${name}: peak memory of the API`,
      value: mb(peak),
      baseline: `${mb(peakOfFewer)} for ${FEWER_ROWS.toLocaleString('en')} rows`,
      ratio: peak / peakOfFewer,
      target: 1.3,
      atMost: true,
    },
    {
      name: `${name}: memory in the last tenth`,
      value: mb(late),
      baseline: `${mb(early)} in the second tenth`,
      ratio: late / early,
      target: 1.15,
      atMost: true,
    },
  ];
}
