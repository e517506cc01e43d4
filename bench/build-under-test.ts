import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { startHeraldProcess } from '../test/support/herald-process';
import { call } from './calls';
import type { Publisher } from './publish';
import { ownCpu, treeCpu } from './process-cpu';
import { serverPids } from './role-processes';

const run = promisify(execFile);

/** A directory with a built Herald, perhaps an older one, and the Node that runs it. */
export interface Build {
  directory: string;
  node: string;
}

/** CPU seconds since the start. */
export interface Cpu {
  herald: number;
  postgres: number;
}

export interface BuildUnderTest {
  pool: pg.Pool;
  simulatorUrl: string;
  /** Creates a project with these many endpoints and raised limits. */
  createPublisher(slug: string, endpoints: number, receiverUrl: string): Promise<Publisher>;
  cpu(): Cpu;
  stop(): Promise<void>;
}

/** Limits by the names of their columns; a build has some of them. */
const RAISED = [
  'requests_per_minute',
  'events_per_minute',
  'queued_deliveries',
  'sessions_per_hour',
  'sessions_per_address',
  'purchased_credits',
];

/** The whole service as `herald start` runs it, with servers of its own and a temporary data directory. */
export async function startBuild({ directory, node }: Build): Promise<BuildUnderTest> {
  const root = await mkdtemp(path.join(tmpdir(), 'herald-bench-'));
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    PORT: '0',
    HERALD_DATA_DIR: path.join(root, 'data'),
    HERALD_POSTGRES_PORT: '0',
    HERALD_TEMPORAL_PORT: '0',
    HERALD_TEMPORAL_UI_PORT: '0',
    HERALD_METRICS_PORT: '0',
    HERALD_SIMULATOR_PORT: '0',
    HERALD_LOG_LEVEL: 'error',
    HERALD_DELIVERY_LANE: 'express',
  };
  const cli = path.join(directory, 'dist', 'src', 'cli.js');
  const herald = await startHeraldProcess(['start', '--json'], env, { node, cli });
  const url = String(herald.runtime['api_url']);
  const pool = new pg.Pool({ connectionString: String(herald.runtime['database_url']), max: 2 });
  const command = async (...args: string[]) => {
    const { stdout } = await run(node, [cli, ...args, '--json'], { env });
    return JSON.parse(stdout) as Record<string, string>;
  };
  const servers = serverPids(env.HERALD_DATA_DIR);

  return {
    pool,
    simulatorUrl: String(herald.runtime['simulator_url']),
    async createPublisher(slug, endpoints, receiverUrl) {
      const created = await command('project', 'create', '--slug', slug, '--name', slug);
      const publishing = await command('key', 'create', slug, '--scopes', 'publish');
      const [key, publishKey] = [created['api_key'] ?? '', publishing['api_key'] ?? ''];
      await raiseLimits(pool, slug);
      const types = await publishedTypes(url, key);
      const used = types.slice(0, endpoints);
      const endpointIds: string[] = [];
      for (const { name } of used) {
        const body = { url: receiverUrl, events: [name] };
        endpointIds.push((await call(url, key, 'POST', '/v1/webhooks', body))['id'] ?? '');
      }
      let turn = 0;
      return {
        projectId: String(created['project_id']),
        projectKey: key,
        endpointIds,
        url,
        headers: { authorization: `Bearer ${publishKey}` },
        body: (events) => ({
          events: Array.from({ length: events }, () => {
            const type = used[turn++ % used.length];
            return { event: type?.name, data: type?.data };
          }),
        }),
      };
    },
    cpu: () => ({ herald: ownCpu(herald.child.pid ?? 0), postgres: treeCpu(servers.postgres) }),
    async stop() {
      await pool.end();
      await herald.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** By the build's own catalogue: the fields of an event may differ between builds. */
async function publishedTypes(url: string, key: string): Promise<{ name: string; data: unknown }[]> {
  const listed = await call(url, key, 'GET', '/v1/event-types?limit=100');
  const types = listed['data'] as unknown as { name: string; example: { data: unknown } }[];
  return types
    .filter(({ name }) => name.startsWith('ticket.') || name === 'form.submitted')
    .map(({ name, example }) => ({ name, data: example.data }));
}

async function raiseLimits(pool: pg.Pool, slug: string): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
     WHERE table_name = 'projects' AND column_name = ANY ($1)`,
    [RAISED],
  );
  const raised = rows.map(({ name }) => `${name} = 1000000`).join(', ');
  await pool.query(`UPDATE projects SET ${raised} WHERE slug = $1`, [slug]);
}
