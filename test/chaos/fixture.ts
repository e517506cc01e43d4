import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { newApiKey } from '../../src/lib/tokens';
import { insertApiKey } from '../../src/projects/queries/keys';
import { migrate } from '../../src/db/migrate';
import { createPool } from '../../src/db/pool';
import { addPurchasedCredits, insertProject, updateProject } from '../../src/projects/queries/projects';
import { openDataDir } from '../../src/embedded/data-dir';
import { startPostgres } from '../../src/embedded/postgres';
import type { Simulator } from '../../src/embedded/simulator';
import { findTemporalCli } from '../../src/embedded/temporal-cli';
import { startTemporalServer } from '../../src/embedded/temporal-server';
import { searchAttributeTypes } from '../../src/temporal/names';
import { startTestSimulator } from '../support/simulator';
import { testBots } from '../support/simulator-control';
import { stablePort } from '../support/stable-port';
import { superviseRole, superviseServer, type Part } from './parts';

export interface ChaosFixture {
  apiUrl: string;
  apiKey: string;
  projectId: string;
  simulator: Simulator;
  parts: Part[];
  /** As an operator's shell has them. */
  settings: Record<string, string>;
  databaseUrl: string;
  temporalAddress: string;
  /** Ends of roles, by kills and by themselves. */
  ends(): Record<string, number>;
  stop(): Promise<void>;
}

/** The production shape on one machine: every part a process of its own that can be hurt. */
export async function startChaosFixture(): Promise<ChaosFixture> {
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
  const postgres = await superviseServer('postgres', async () => {
    const server = await startPostgres({ dataDir, port: databasePort, settings: { max_connections: '150' } });
    databaseUrl = server.url;
    return server;
  });
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
  const project = await createProject(databaseUrl);
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const temporalAddress = `127.0.0.1:${temporalPort}`;
  const settings = {
    NODE_ENV: 'test',
    PORT: String(apiPort),
    HERALD_METRICS_PORT: '0',
    HERALD_HOST: '127.0.0.1',
    HERALD_PUBLIC_URL: apiUrl,
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: temporalAddress,
    HERALD_TASK_QUEUE_PREFIX: 'chaos',
    HERALD_ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
    HERALD_ALLOW_LOCAL_WEBHOOKS: 'true',
    HERALD_BOT_UPDATES: 'polling',
    HERALD_CODE_TTL_SECONDS: '20',
    HERALD_SESSION_TTL_SECONDS: '30',
    HERALD_UNANSWERED_SECONDS: '3',
    HERALD_LOG_LEVEL: 'warn',
    TELEGRAM_BOT_TOKEN: testBots.telegram.token,
    TELEGRAM_API_ROOT: simulator.telegramApiRoot,
    MAX_BOT_TOKEN: testBots.max.token,
    MAX_API_ROOT: simulator.maxApiRoot,
  };
  const roles = ['api', 'worker', 'bots'].map((role) => superviseRole(role, settings));
  await Promise.all(roles.map((role) => role.ready()));
  return {
    apiUrl,
    ...project,
    simulator,
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
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function createProject(databaseUrl: string): Promise<{ projectId: string; apiKey: string }> {
  const pool = createPool({ url: databaseUrl, max: 1 });
  try {
    await migrate(pool);
    const project = await insertProject(pool, { slug: 'chaos', name: 'Chaos' });
    if (!project) throw new Error('the slug is taken');
    const { key, hash, hint } = newApiKey();
    await insertApiKey(pool, { project_id: project.id, hash, hint });
    const most = 1_000_000;
    const generous = { requests_per_minute: most, sessions_per_hour: most, sessions_per_address: most };
    await updateProject(pool, project.id, generous);
    await addPurchasedCredits(pool, project.id, 100_000);
    return { projectId: project.id, apiKey: key };
  } finally {
    await pool.end();
  }
}
