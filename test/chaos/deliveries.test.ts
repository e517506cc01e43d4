import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newApiKey } from '../../src/base/lib/tokens';
import { insertApiKey } from '../../src/domains/projects/queries/keys';
import { insertProject, updateProject } from '../../src/domains/projects/queries/projects';
import { openDataDir, type DataDir } from '../../src/local/data-dir';
import { findTemporalCli } from '../../src/local/temporal/cli';
import { startTemporalServer, type RunningTemporalServer } from '../../src/local/temporal/server';
import { searchAttributeTypes } from '../../src/base/temporal/names';
import { createTestDatabase, type TestDatabase } from '../support/database';
import { eventually } from '../support/eventually';
import { startHeraldProcess, type HeraldProcess } from '../support/herald-process';
import { startReceiver, type Receiver } from '../support/receiver';
import { stablePort } from '../support/stable-port';

jest.setTimeout(480_000);

/** An installation of separate processes, each of which can be killed: API, worker, and a Temporal server on disk. */
let directory: string;
let dataDir: DataDir;
let database: TestDatabase;
let temporal: RunningTemporalServer;
let api: HeraldProcess;
let worker: HeraldProcess;
let receiver: Receiver;
let apiPort: number;

/** When each delivery arrived, and when the worker was killed: its last requests may be read after it was gone. */
const arrivals = new Map<string, number[]>();
const workerKills: { from: number; to: number }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'herald-chaos-'));
  dataDir = await openDataDir(path.join(directory, 'data'));
  database = await createTestDatabase();
  temporal = await startTemporal(await stablePort());
  apiPort = await stablePort();
  receiver = await startReceiver((res, { headers }) => {
    const id = String(headers['x-service-delivery-id']);
    arrivals.set(id, [...(arrivals.get(id) ?? []), Date.now()]);
    // Slow enough that a kill meets attempts under way.
    setTimeout(() => res.end(), 50);
  });
  [api, worker] = await Promise.all([startRole('api'), startRole('worker')]);
});

afterAll(async () => {
  await Promise.all([api?.kill9(), worker?.kill9()]);
  await temporal?.stop();
  await dataDir?.close();
  await receiver?.close();
  await database?.drop();
  await rm(directory, { recursive: true, force: true });
});

async function startTemporal(port: number): Promise<RunningTemporalServer> {
  return startTemporalServer({
    cliPath: await findTemporalCli({ configured: process.env['HERALD_TEMPORAL_CLI'], onProgress: () => {} }),
    dataDir,
    port,
    uiPort: null,
    dbFile: 'temporal.db',
    searchAttributes: searchAttributeTypes,
  });
}

function startRole(role: 'api' | 'worker'): Promise<HeraldProcess> {
  return startHeraldProcess(['start', '--json', '--roles', role], {
    NODE_ENV: 'test',
    PORT: String(apiPort),
    HERALD_METRICS_PORT: '0',
    HERALD_HOST: '127.0.0.1',
    HERALD_PUBLIC_URL: `http://127.0.0.1:${apiPort}`,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
    HERALD_TASK_QUEUE_PREFIX: 'chaos',
    HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
    HERALD_ALLOW_LOCAL_WEBHOOKS: 'true',
  });
}

async function killWorker(): Promise<void> {
  const from = Date.now();
  await worker.kill9();
  workerKills.push({ from, to: Date.now() });
}

test('API, worker and Temporal are killed in turn under load: nothing is lost, and only attempts in flight are sent twice', async () => {
  const load = startLoad(await createEndpoint());
  await load.until(30);

  await api.kill9();
  api = await startRole('api');
  await load.until(60);

  await killWorker();
  // Events go on being committed while no worker delivers them.
  await load.until(90);
  worker = await startRole('worker');
  await load.until(120);

  process.kill(temporal.pid, 'SIGKILL');
  await load.until(150);
  temporal = await startTemporal(temporal.port);
  await load.until(180);

  // Once more, all at once.
  process.kill(temporal.pid, 'SIGKILL');
  await Promise.all([killWorker(), api.kill9()]);
  temporal = await startTemporal(temporal.port);
  [api, worker] = await Promise.all([startRole('api'), startRole('worker')]);
  await load.until(210);
  await load.stop();

  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM deliveries');
  expect(rows.length).toBeGreaterThanOrEqual(210);
  await eventually(async () => {
    const { rows: open } = await database.pool.query<{ status: string; count: number }>(
      `SELECT status, count(*) FROM deliveries WHERE status <> 'succeeded' GROUP BY status`,
    );
    if (open.length > 0) throw new Error(`not delivered yet: ${JSON.stringify(open)}`);
    return true;
  }, 120_000);

  // Lost: none. Unknown: none.
  const known = new Set(rows.map(({ id }) => id));
  expect([...known].filter((id) => !arrivals.has(id))).toEqual([]);
  expect([...arrivals.keys()].filter((id) => !known.has(id))).toEqual([]);

  // Once more: only what a killed worker had under way, once for each kill, and the log has one attempt for it.
  const repeated = [...arrivals].filter(([, times]) => times.length > 1);
  for (const [, times] of repeated) {
    const cutOff = times
      .slice(0, -1)
      .map((time) => workerKills.findIndex(({ from, to }) => time > from - 10_000 && time < to + 2_000));
    expect(cutOff).not.toContain(-1);
    expect(new Set(cutOff).size).toBe(cutOff.length);
  }
  // In the express lane, which a backlog takes, the attempt that was cut off is logged as lost, and a second one follows it.
  const { rows: attempts } = await database.pool.query(
    `SELECT 1 FROM attempts a WHERE a.number > 1 AND NOT EXISTS (
       SELECT 1 FROM attempts l WHERE l.delivery_id = a.delivery_id AND l.number = 1 AND l.error = 'lost')`,
  );
  expect(attempts).toEqual([]);
});

async function createEndpoint(): Promise<{ id: string; key: string }> {
  const { key, hash, hint } = newApiKey();
  const project = await insertProject(database.pool, {
    slug: `chaos-${Date.now()}`,
    name: 'Chaos',
  });
  await insertApiKey(database.pool, { project_id: project!.id, hash, hint });
  await updateProject(database.pool, project!.id, { requests_per_minute: 1_000_000 });
  const { id } = (await call(key, '/v1/webhooks', { url: receiver.url })) as { id: string };
  return { id, key };
}

async function call(key: string, route: string, body: unknown): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${apiPort}${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
  return response.json();
}

/** Test events at a steady pace, through an API that may be dead for a while. */
function startLoad(endpoint: { id: string; key: string }) {
  let committed = 0;
  let stopped = false;
  const loop = (async () => {
    while (!stopped) {
      await call(endpoint.key, `/v1/webhooks/${endpoint.id}/test`, {}).then(
        () => (committed += 1),
        () => undefined,
      );
      await sleep(40);
    }
  })();
  return {
    /** Waits until that many events were accepted. */
    until: (count: number) => eventually(() => committed >= count, 60_000),
    async stop() {
      stopped = true;
      await loop;
    },
  };
}
