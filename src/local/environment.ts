import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PlatformAccesses } from '../domains/bots/messengers';
import type { Config } from '../base/config';
import type { EncryptionKey } from '../base/lib/cipher';
import { searchAttributeTypes } from '../base/temporal/names';
import type { ChildExit, ChildRecord } from './child-process';
import { openDataDir, type DataDir } from './data-dir';
import { openKeyFile, requireKeyFile } from './key-file';
import { requireFreePort } from './ports';
import { startPostgres } from './postgres';
import { isRunning } from './process-identity';
import { simulatedBots, simulatorLink, startSimulator, type Simulator } from './simulator';
import { findTemporalCli } from './temporal/cli';
import { startTemporalServer } from './temporal/server';

/**
 * Addresses of the servers that the service uses, embedded or external. Plain data, so that it can be sent to another
 * process.
 */
export interface Servers {
  databaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | null;
  simulator: Omit<Simulator, 'stop'> | null;
  /** Path of the data directory; null if nothing is embedded. */
  dataDir: string | null;
}

/** Everything that the service needs from outside. */
export interface Environment extends Servers {
  encryptionKeys: EncryptionKey[];
  platforms: PlatformAccesses;
}

interface Stoppable {
  /** Stops the simulator first and the database last. */
  stop(): Promise<void>;
}

export interface EnvironmentOptions {
  config: Config;
  /** Aborts the start; what has been started is stopped again. */
  signal: AbortSignal;
  onProgress: (message: string) => void;
  onExit: (exit: ChildExit) => void;
  /** Called as soon as the process of the Temporal server, which takes longest to boot, runs. */
  onLaunched?: () => void;
}

export async function startEnvironment(options: EnvironmentOptions): Promise<Environment & Stoppable> {
  const { stop, ...servers } = await startServers(options);
  try {
    return { ...(await createEnvironment(options.config, servers)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Adds what derives from the settings and the data directory. */
export async function createEnvironment(config: Config, servers: Servers): Promise<Environment> {
  return {
    ...servers,
    encryptionKeys: config.HERALD_ENCRYPTION_KEY ?? (await openKeyFile(config.HERALD_DATA_DIR)),
    platforms: platformAccesses(config, servers.simulator),
  };
}

/** Starts the parts that are not configured externally: PostgreSQL, Temporal, the messenger simulator. */
export async function startServers(options: EnvironmentOptions): Promise<Servers & Stoppable> {
  const { config, onProgress } = options;
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  const embedsSomething = !config.DATABASE_URL || !config.TEMPORAL_ADDRESS;
  try {
    const dataDir = embedsSomething ? await openDataDir(config.HERALD_DATA_DIR, onProgress) : null;
    if (dataDir) stops.push(() => dataDir.close());
    await requirePorts(config);
    if (dataDir && !config.HERALD_ENCRYPTION_KEY) await requireKeyFile(dataDir.path);
    const started = await Promise.allSettled([
      startDatabase(options, dataDir, stops),
      startTemporal(options, dataDir, stops),
      startMessengers(options, dataDir, stops),
    ]);
    for (const result of started) if (result.status === 'rejected') throw result.reason;
    const [databaseUrl, temporal, simulator] = started.map(
      (result) => (result as PromiseFulfilledResult<unknown>).value,
    ) as [string, TemporalAddresses, Servers['simulator']];
    return {
      databaseUrl,
      temporalAddress: temporal.address,
      temporalUiUrl: temporal.uiUrl,
      simulator,
      dataDir: dataDir && dataDir.path,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Checks the ports before the slow parts start; 0 means any free port. */
async function requirePorts(config: Config): Promise<void> {
  if (config.roles.includes('api') && config.PORT) await requireFreePort(config.PORT, 'PORT', 'the API');
  if (config.HERALD_METRICS_PORT) {
    await requireFreePort(config.HERALD_METRICS_PORT, 'HERALD_METRICS_PORT', 'the metrics');
  }
  if (config.development && config.HERALD_SIMULATOR_PORT) {
    await requireFreePort(config.HERALD_SIMULATOR_PORT, 'HERALD_SIMULATOR_PORT', 'the messenger simulator');
  }
}

async function startDatabase(
  { config, signal, onProgress, onExit }: EnvironmentOptions,
  dataDir: DataDir | null,
  stops: (() => Promise<unknown>)[],
): Promise<string> {
  if (config.DATABASE_URL || !dataDir) return config.DATABASE_URL ?? '';
  const postgres = await startPostgres({
    dataDir,
    port: config.HERALD_POSTGRES_PORT,
    settings: { max_connections: '200' },
    signal,
    onProgress,
    onExit,
  });
  // `stops` runs in reverse order, so index 1 stops the database last, just before the data directory is released.
  stops.splice(1, 0, () => postgres.stop());
  return postgres.url;
}

interface TemporalAddresses {
  address: string;
  uiUrl: string | null;
}

async function startTemporal(
  { config, signal, onProgress, onExit, onLaunched }: EnvironmentOptions,
  dataDir: DataDir | null,
  stops: (() => Promise<unknown>)[],
): Promise<TemporalAddresses> {
  const uiUrl = config.TEMPORAL_UI_URL ?? null;
  if (config.TEMPORAL_ADDRESS || !dataDir) return { address: config.TEMPORAL_ADDRESS ?? '', uiUrl };
  const cliPath = await findTemporalCli({ configured: config.HERALD_TEMPORAL_CLI, signal, onProgress });
  const server = await startTemporalServer({
    cliPath,
    dataDir,
    port: config.HERALD_TEMPORAL_PORT,
    uiPort: config.HERALD_TEMPORAL_UI_PORT,
    dbFile: 'temporal.db',
    searchAttributes: searchAttributeTypes,
    signal,
    onProgress,
    onExit,
    onLaunched,
  });
  stops.push(() => server.stop());
  return { address: server.address, uiUrl: uiUrl ?? server.uiUrl };
}

async function startMessengers(
  { config, onProgress }: EnvironmentOptions,
  dataDir: DataDir | null,
  stops: (() => Promise<unknown>)[],
): Promise<Servers['simulator']> {
  const isUsed = Object.keys(simulatedBots).some((channel) => !config.platforms[channel]?.token);
  if (!config.development || !isUsed) return null;
  onProgress('starting the messenger simulator');
  const { stop, ...simulator } = await startSimulator({
    port: config.HERALD_SIMULATOR_PORT,
    serviceUrl: config.HERALD_PUBLIC_URL ?? (config.PORT > 0 ? `http://127.0.0.1:${config.PORT}` : ''),
    ...(dataDir && { usersFile: dataDir.file('simulator-users.json') }),
    ...simulatedBots,
  });
  stops.push(stop);
  return simulator;
}

/** A channel without a token runs on the simulator in development and is disabled in production. */
function platformAccesses(config: Config, simulator: Servers['simulator']): PlatformAccesses {
  const platforms: PlatformAccesses = {};
  for (const [channel, { token, apiRoot }] of Object.entries(config.platforms)) {
    if (token) platforms[channel] = { token, apiRoot };
  }
  if (!simulator) return platforms;
  for (const [channel, { token }] of Object.entries(simulatedBots)) {
    platforms[channel] ??= {
      token,
      apiRoot: simulator.url,
      link: (start, bot) => simulatorLink(simulator.url, channel, start, bot),
    };
  }
  return platforms;
}

/** Kills the embedded servers when the process exits immediately. The database recovers on the next start. */
export function killChildren(dataDirectory: string): void {
  let records: ChildRecord[];
  try {
    records = JSON.parse(readFileSync(path.join(dataDirectory, 'children.json'), 'utf8')) as ChildRecord[];
  } catch {
    return;
  }
  for (const record of records) {
    if (!isRunning(record)) continue;
    try {
      process.kill(record.pid, record.forceSignal);
    } catch {
      // It has just exited; continue with the others.
    }
  }
}
