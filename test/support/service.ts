import { randomBytes } from 'node:crypto';
import pino from 'pino';
import type { PlatformAccesses } from '../../src/domains/bots/messengers';
import type { Config } from '../../src/base/config';
import { loadConfig } from '../../src/process/settings';
import { emitEvent } from '../../src/domains/events';
import { eventRegistry } from '../../src/domains/events/contract';
import { simulatorLink, type Simulator } from '../../src/local/simulator';
import { startService, type Service, type ServiceOptions } from '../../src/process/service';
import type { QueueName } from '../../src/base/temporal/names';
import { createApi } from './api';
import { createTestDatabase, patient, type TestDatabase } from './database';
import { projectsOf, type Installation } from './installation';
import { startTestSimulator } from './simulator';
import { createSimulatorControl, testBots } from './simulator-control';

export type { TestProject } from './installation';

/** How a delivery starts where its endpoint does not say. */
export type Lane = Config['HERALD_DELIVERY_LANE'];

export interface TestServiceOptions {
  /** Default: the default of the setting. */
  lane?: Lane;
  /** Settings as they would stand in the environment. */
  env?: Record<string, string>;
  /** Default: all roles. */
  roles?: string;
  /** The task queues that get a worker, if the role runs. Default: all. */
  queues?: readonly QueueName[];
  /** Runs on an existing database (a second process of the same installation). */
  database?: TestDatabase;
  /** Default: a fresh simulator for both channels. */
  simulator?: Simulator | null;
  queuePrefix?: string;
  /** Default: the shared server of the test run. */
  temporalAddress?: string;
  /** Default: the bundle of the test run. */
  bundlePath?: string;
  /** Pages of this installation only. */
  pages?: ServiceOptions['pages'];
  seed?: ServiceOptions['seed'];
  /** Aborts the start, for a process that waits for Temporal. */
  signal?: AbortSignal;
  /** Collects every log line, to search for what must not be there. */
  logLines?: string[];
}

/** An installation of a test file's own, in its process. */
export interface TestService extends Installation {
  config: Config;
  service: Service;
  database: TestDatabase;
  simulator: Simulator;
}

const encryptionKey = { id: 'k1', key: Buffer.alloc(32, 7) };

/** The whole service in this process, with a database, task queues and a simulator of its own. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await createTestDatabase());
  const queuePrefix = options.queuePrefix ?? `test-${randomBytes(6).toString('hex')}`;
  const simulator = options.simulator ?? (await startTestSimulator());
  const config = loadConfig({
    NODE_ENV: 'test',
    PORT: '0',
    HERALD_METRICS_PORT: '0',
    HERALD_TASK_QUEUE_PREFIX: queuePrefix,
    ...(options.lane ? { HERALD_DELIVERY_LANE: options.lane } : {}),
    HERALD_LOG_LEVEL: options.logLines ? 'trace' : 'silent',
    ...(options.roles ? { HERALD_ROLES: options.roles } : {}),
    ...options.env,
  });
  const log = options.logLines
    ? pino({ level: 'trace' }, { write: (line: string) => void options.logLines?.push(line) })
    : pino({ level: process.env['HERALD_TEST_LOG'] ?? 'silent' }, pino.destination(2));
  const service = await startService({
    config,
    log,
    databaseUrl: database.url,
    temporalAddress: options.temporalAddress ?? required('HERALD_TEST_TEMPORAL_ADDRESS'),
    temporalUiUrl: null,
    encryptionKeys: [encryptionKey],
    bundlePath: options.bundlePath ?? required('HERALD_TEST_WORKFLOW_BUNDLE'),
    platforms: { ...withTokens(config), ...simulatedPlatforms(simulator) },
    queues: options.queues,
    pages: options.pages,
    seed: options.seed,
    signal: options.signal,
    onFailure: (error) => {
      throw error;
    },
  });
  const { login, requests, background } = service.core.pools;
  for (const pool of [login, requests, background]) patient(pool);
  const url = service.apiUrl ?? '';
  const apiWith = (key: string | null) => createApi(url, key);
  return {
    url,
    config,
    service,
    database,
    pool: database.pool,
    client: service.core.client,
    simulator,
    control: createSimulatorControl(simulator.url),
    queuePrefix,
    apiWith,
    ...projectsOf(database.pool, apiWith),
    async emitExample(projectId, name, more) {
      const data = { ...eventRegistry[name].example, ...more };
      const { id } = await emitEvent(database.pool, projectId, name, data as never);
      return id;
    },
    async stop() {
      await service.stop();
      if (!options.simulator) await simulator.stop();
      if (!options.database) await database.drop();
    },
  };
}

/** The messengers whose token is set. */
function withTokens({ platforms }: Config): PlatformAccesses {
  return Object.fromEntries(
    Object.entries(platforms).flatMap(([channel, { token, apiRoot }]) =>
      token === undefined ? [] : [[channel, { token, apiRoot }]],
    ),
  );
}

export function simulatedPlatforms(simulator: Simulator): PlatformAccesses {
  return {
    telegram: {
      token: testBots.telegram.token,
      apiRoot: simulator.telegramApiRoot,
      link: (start, bot) => simulatorLink(simulator.url, 'telegram', start, bot),
    },
    max: {
      token: testBots.max.token,
      apiRoot: simulator.maxApiRoot,
      link: (start, bot) => simulatorLink(simulator.url, 'max', start, bot),
    },
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: run the tests through jest`);
  return value;
}
