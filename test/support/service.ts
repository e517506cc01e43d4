import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type pg from 'pg';
import pino from 'pino';
import type { PlatformAccesses } from '../../src/bots/messengers';
import { loadConfig, type Config } from '../../src/config';
import type { Scope } from '../../src/contract/scopes';
import { newApiKey } from '../../src/lib/tokens';
import { insertApiKey } from '../../src/projects/queries/keys';
import { insertProject, updateProject, type ProjectChanges } from '../../src/projects/queries/projects';
import type { Project } from '../../src/projects/contract';
import { simulatorLink, type Simulator } from '../../src/embedded/simulator';
import { startService, type Service } from '../../src/service';
import { createTestDatabase, patient, type TestDatabase } from './database';
import { readText } from './read-text';
import {
  createSimulatorControl,
  startTestSimulator,
  testBots,
  type SimulatorControl,
} from './simulator-control';

/** How a delivery starts where its endpoint does not say. */
export type Lane = Config['HERALD_DELIVERY_LANE'];

export interface TestServiceOptions {
  /** Default: the default of the setting. */
  lane?: Lane;
  /** Settings as they would stand in the environment. */
  env?: Record<string, string>;
  /** Default: all roles. */
  roles?: string;
  /** Runs on an existing database (a second process of the same installation). */
  database?: TestDatabase;
  /** Default: a fresh simulator for both channels. */
  simulator?: Simulator | null;
  queuePrefix?: string;
  /** Default: the shared server of the test run. */
  temporalAddress?: string;
  /** Default: the bundle of the test run. */
  bundlePath?: string;
  /** Collects every log line, to search for what must not be there. */
  logLines?: string[];
}

export interface TestProject extends Project {
  api_key: string;
  api: Api;
}

export interface ApiResponse<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

/** Calls the API like a project's backend. */
export type Api = <T = any>( // eslint-disable-line @typescript-eslint/no-explicit-any -- tests read what they asserted
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<ApiResponse<T>>;

export interface TestService {
  url: string;
  config: Config;
  service: Service;
  database: TestDatabase;
  pool: pg.Pool;
  client: Client;
  simulator: Simulator;
  /** Acts as the users of the messengers. */
  control: SimulatorControl;
  queuePrefix: string;
  createProject(changes?: ProjectChanges & { slug?: string }): Promise<TestProject>;
  /** A further key of a project. */
  createKey(projectId: string, scopes: Scope[]): Promise<string>;
  /** Without a key, or with any other. */
  apiWith(key: string | null): Api;
  stop(): Promise<void>;
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
    platforms: simulatedPlatforms(simulator),
    onFailure: (error) => {
      throw error;
    },
  });
  patient(service.core.pool);
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
    async createKey(projectId, scopes) {
      const { key, hash, hint } = newApiKey();
      await insertApiKey(database.pool, { project_id: projectId, hash, hint, scopes });
      return key;
    },
    async createProject({ slug, ...changes } = {}) {
      const { key, hash, hint } = newApiKey();
      const inserted = await insertProject(database.pool, {
        slug: slug ?? `p-${randomBytes(5).toString('hex')}`,
        name: changes.name ?? 'Test project',
      });
      if (!inserted) throw new Error('the slug is taken');
      // Tests of other things must not meet the limits by accident.
      const generous = {
        requests_per_minute: 1_000_000,
        sessions_per_hour: 1_000_000,
        sessions_per_address: 1_000_000,
      };
      const project = await updateProject(database.pool, inserted.id, { ...generous, ...changes });
      await insertApiKey(database.pool, { project_id: inserted.id, hash, hint });
      return { ...(project ?? inserted), api_key: key, api: apiWith(key) };
    },
    async stop() {
      await service.stop();
      if (!options.simulator) await simulator.stop();
      if (!options.database) await database.drop();
    },
  };
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

export function createApi(url: string, key: string | null): Api {
  return async <T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await readText(response);
    const json = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      body: (json ? JSON.parse(text) : text) as T,
    };
  };
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: run the tests through jest`);
  return value;
}
