import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { newApiKey } from '../../src/base/lib/tokens';
import { insertApiKey } from '../../src/domains/projects/queries/keys';
import { migrate } from '../../src/base/db/migrate';
import { createPool } from '../../src/base/db/pool';
import {
  addPurchasedCredits,
  insertProject,
  updateProject,
} from '../../src/domains/projects/queries/projects';
import { openDataDir } from '../../src/local/data-dir';
import { startPostgres } from '../../src/local/postgres';
import type { Simulator } from '../../src/local/simulator';
import { findTemporalCli } from '../../src/local/temporal/cli';
import { startTemporalServer } from '../../src/local/temporal/server';
import { searchAttributeTypes } from '../../src/base/temporal/names';
import { startTestSimulator } from '../support/simulator';
import { testBots } from '../support/simulator-control';
import { stablePort } from '../support/stable-port';
import { createClock, type Clock } from './clock';
import { startDnsServer, type DnsServer } from './dns-server';
import { moveToSmallDisk, type SmallDisk } from './small-disk';
import { superviseRole, superviseServer, type Part } from './parts';

export interface ChaosProject {
  id: string;
  slug: string;
  apiKey: string;
}

export interface ChaosFixture {
  apiUrl: string;
  apiKey: string;
  projectId: string;
  /** For the domains other than logins and deliveries. */
  domainProject: ChaosProject;
  /** For a project that publishes as fast as it can. */
  bulkProject: ChaosProject;
  simulator: Simulator;
  /** A name for the receivers, where DNS is part of what can fail. */
  receiverHost?: string;
  world?: World;
  parts: Part[];
  /** As an operator's shell has them. */
  settings: Record<string, string>;
  databaseUrl: string;
  temporalAddress: string;
  /** Ends of roles, by kills and by themselves. */
  ends(): Record<string, number>;
  stop(): Promise<void>;
}

/** What surrounds the processes and can fail as well. Needs root, and Debian's libfaketime. */
export interface World {
  /** Of the worker. */
  clock: Clock;
  /** Of the database. */
  disk: SmallDisk;
  dns: DnsServer;
}

/** Of the certificate of the receivers: names other than this machine's own need https. */
const RECEIVER_HOST = 'receiver.example';

async function createWorld(directory: string, cluster: string): Promise<World> {
  return {
    clock: await createClock(path.join(directory, 'clock')),
    disk: await moveToSmallDisk(path.join(directory, 'disk.img'), cluster),
    dns: await startDnsServer(),
  };
}

/** The production shape on one machine: every part a process of its own that can be hurt. */
export async function startChaosFixture({ hasWorld = false } = {}): Promise<ChaosFixture> {
  const directory = await mkdtemp(path.join(tmpdir(), 'herald-chaos-'));
  // Root's PostgreSQL runs as another user, who must be able to pass.
  await chmod(directory, 0o711);
  const dataDir = await openDataDir(path.join(directory, 'data'));
  const cliPath = await findTemporalCli({
    configured: process.env['HERALD_TEMPORAL_CLI'],
    onProgress: () => {},
  });
  const [databasePort, temporalPort, apiPort] = [await stablePort(), await stablePort(), await stablePort()];
  let databaseUrl = '';
  const startDatabase = async () => {
    const settings = { max_connections: '150', max_wal_size: '256MB' };
    const server = await startPostgres({ dataDir, port: databasePort, settings });
    databaseUrl = server.url;
    return server;
  };
  let world: World | undefined;
  if (hasWorld) {
    // Its files are moved while it is stopped.
    await (await startDatabase()).stop();
    world = await createWorld(directory, dataDir.file('postgres', 'data'));
  }
  const postgres = await superviseServer('postgres', startDatabase);
  const temporal = await superviseServer('temporal', () =>
    startTemporalServer({
      cliPath,
      dataDir,
      port: temporalPort,
      uiPort: null,
      dbFile: 'temporal.db',
      searchAttributes: searchAttributeTypes,
    }),
  );
  const simulator = await startTestSimulator();
  const { project, domainProject, bulkProject } = await createProjects(databaseUrl);
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const temporalAddress = `127.0.0.1:${temporalPort}`;
  const settings = {
    ...roleSettings(simulator),
    PORT: String(apiPort),
    HERALD_PUBLIC_URL: apiUrl,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
  };
  const roles = ['api', 'worker', 'bots'].map((role) =>
    superviseRole(role, {
      ...settings,
      ...world?.dns.env,
      ...(role === 'worker' ? world?.clock.env : {}),
    }),
  );
  await Promise.all(roles.map((role) => role.ready()));
  return {
    apiUrl,
    apiKey: project.apiKey,
    projectId: project.id,
    domainProject,
    bulkProject,
    simulator,
    ...(world ? { world, receiverHost: RECEIVER_HOST } : {}),
    parts: [...roles, postgres, temporal],
    settings,
    databaseUrl,
    temporalAddress,
    ends: () => Object.fromEntries(roles.map(({ name, ends }) => [name, ends])),
    async stop() {
      await Promise.all(roles.map((role) => role.stop()));
      await simulator.stop();
      await temporal.stop();
      await postgres.stop();
      await dataDir.close();
      world?.dns.close();
      await world?.disk.unmount();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Of every role: short lives, so that everything ends within the test. */
export function roleSettings(simulator: Simulator): Record<string, string> {
  return {
    NODE_ENV: 'test',
    HERALD_METRICS_PORT: '0',
    HERALD_HOST: '127.0.0.1',
    HERALD_TASK_QUEUE_PREFIX: 'chaos',
    HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
    HERALD_ALLOW_LOCAL_WEBHOOKS: 'true',
    HERALD_BOT_UPDATES: 'polling',
    HERALD_CODE_TTL_SECONDS: '20',
    HERALD_SESSION_TTL_SECONDS: '30',
    HERALD_UNANSWERED_SECONDS: '3',
    HERALD_DRIP_SCALE: '0.01',
    HERALD_LOG_LEVEL: 'warn',
    TELEGRAM_BOT_TOKEN: testBots.telegram.token,
    TELEGRAM_API_ROOT: simulator.telegramApiRoot,
    MAX_BOT_TOKEN: testBots.max.token,
    MAX_API_ROOT: simulator.maxApiRoot,
  };
}

/** The schema, and projects whose limits the load does not meet. */
export async function createProjects(
  databaseUrl: string,
): Promise<Record<'project' | 'domainProject' | 'bulkProject', ChaosProject>> {
  const pool = createPool({ url: databaseUrl, max: 1 });
  try {
    await migrate(pool);
    return {
      project: await createProject(pool, 'chaos'),
      domainProject: await createProject(pool, 'domains'),
      bulkProject: await createProject(pool, 'bulk'),
    };
  } finally {
    await pool.end();
  }
}

async function createProject(pool: pg.Pool, slug: string): Promise<ChaosProject> {
  const project = await insertProject(pool, { slug, name: slug });
  if (!project) throw new Error('the slug is taken');
  const { key, hash, hint } = newApiKey();
  await insertApiKey(pool, { project_id: project.id, hash, hint });
  const most = 1_000_000;
  const generous = { requests_per_minute: most, sessions_per_hour: most, sessions_per_address: most };
  await updateProject(pool, project.id, { ...generous, plan: 'basic' });
  await addPurchasedCredits(pool, project.id, 100_000);
  return { id: project.id, slug, apiKey: key };
}
