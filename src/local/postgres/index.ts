import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from '../../base/lib/ports';
import {
  logSize,
  readLogFrom,
  requireRunning,
  startChild,
  stopRecordedChild,
  type Child,
  type ChildExit,
} from '../child-process';
import type { DataDir } from '../data-dir';
import { diskFullIn } from '../disk-full';
import { portInUse, requireFreePort } from '../ports';
import { findPostgresBinaries, type PostgresBinaries } from './binaries';
import { openCluster, postgresEnvironment, type PostgresCluster } from './cluster';
import { identifyProcess } from '../process-identity';
import { exitCodes, SetupError } from '../setup-error';

export interface PostgresOptions {
  dataDir: DataDir;
  /** 0 means any free port. */
  port: number;
  /** Overrides of postgresql.conf. */
  settings?: Record<string, string>;
  onProgress?: (message: string) => void;
  /** Aborts the start; what has been started is stopped again. */
  signal?: AbortSignal;
  /** Called when the server exits without having been stopped. */
  onExit?: (exit: ChildExit) => void;
}

export interface RunningPostgres {
  /** The URL of the database `herald`. */
  url: string;
  pid: number;
  /** Rolls back open transactions and flushes the data. */
  stop(): Promise<void>;
}

const database = 'herald';
const stopSignals = { stopSignal: 'SIGINT', forceSignal: 'SIGQUIT' } as const;
/** Crash recovery of a large database takes time; the log shows its progress. */
const readyTimeoutMs = 120_000;
const maxStarts = 20;

/** For a small database on a developer's machine: its files are in the system's cache, and there is no replication. */
const sparing = {
  shared_buffers: '32MB',
  io_method: 'sync',
  max_logical_replication_workers: '0',
};

export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  const { dataDir, settings = {}, onProgress = () => undefined } = options;
  if (options.port !== 0) {
    await requireFreePort(options.port, 'HERALD_POSTGRES_PORT', 'the embedded PostgreSQL');
  }
  const binaries = await findPostgresBinaries();
  const durable = settings['fsync'] !== 'off';
  const cluster = await openCluster(dataDir, binaries, { durable, onProgress });
  await clearPostmasterFile(cluster.directory);

  onProgress('starting the database');
  for (let start = 1; ; start++) {
    options.signal?.throwIfAborted();
    const port = options.port === 0 ? await freePort() : options.port;
    const outcome = await tryStart(options, binaries, cluster, port, settings);
    if ('running' in outcome) return outcome.running;
    if (start === maxStarts) throw outcome.failure;
    if (outcome.retry === 'another port' && options.port === 0) continue;
    if (outcome.retry !== 'later') throw outcome.failure;
    await sleep(500);
  }
}

type StartOutcome =
  | { running: RunningPostgres }
  | { failure: SetupError; retry: 'another port' | 'later' | 'never' };

async function tryStart(
  options: PostgresOptions,
  binaries: PostgresBinaries,
  cluster: PostgresCluster,
  port: number,
  settings: Record<string, string>,
): Promise<StartOutcome> {
  const logFile = options.dataDir.file('logs', 'postgres.log');
  const logStart = logSize(logFile);
  const server = { started: false };
  const child = launch(options, binaries, cluster, port, settings, logFile, server);
  try {
    await waitUntilReady(child, cluster.password, port, options.signal);
  } catch (error) {
    await child.stop().catch(() => undefined);
    options.signal?.throwIfAborted();
    return explainFailure(await readLogFrom(logFile, logStart), logFile, port, options.dataDir.path, error);
  }
  server.started = true;
  return {
    running: {
      url: connectionUrl(cluster.password, port, database),
      pid: child.pid,
      stop: () => child.stop(),
    },
  };
}

function launch(
  options: PostgresOptions,
  binaries: PostgresBinaries,
  cluster: PostgresCluster,
  port: number,
  settings: Record<string, string>,
  logFile: string,
  server: { started: boolean },
): Child {
  const parameters = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    // Clients connect over loopback with the password, so no Unix socket is needed.
    unix_socket_directories: '',
    log_destination: 'stderr',
    logging_collector: 'off',
    timezone: 'UTC',
    ...sparing,
    ...settings,
  };
  const flags = Object.entries(parameters).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const { command, args } = cluster.user.wrap(binaries.postgres, ['-D', cluster.directory, ...flags]);
  return startChild({
    name: 'PostgreSQL server',
    command,
    args,
    cwd: '/',
    env: postgresEnvironment(),
    uid: cluster.user.uid,
    gid: cluster.user.gid,
    logFile,
    ...stopSignals,
    registry: options.dataDir,
    onExit: (exit) => {
      if (server.started) options.onExit?.(exit);
    },
  });
}

/** Ready means that the server accepts connections and the service's database exists. */
async function waitUntilReady(
  child: Child,
  password: string,
  port: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  for (;;) {
    await requireRunning(child);
    signal?.throwIfAborted();
    try {
      await ensureDatabase(connectionUrl(password, port, 'postgres'));
      return;
    } catch (error) {
      if (!isNotReadyYet(error) || Date.now() > deadline) throw error;
    }
    await Promise.race([child.exited, sleep(50)]);
  }
}

async function ensureDatabase(adminUrl: string): Promise<void> {
  const client = new Client({ connectionString: adminUrl, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(database)}`);
  } finally {
    await client.end();
  }
}

function isNotReadyYet(error: unknown): boolean {
  const { code, message } = error as { code?: string; message?: string };
  if (code === 'ECONNREFUSED' || code === 'ECONNRESET') return true;
  // 57P03: starting up or recovering.
  return code === '57P03' || /timeout expired|Connection terminated/.test(message ?? '');
}

function explainFailure(
  log: string,
  logFile: string,
  port: number,
  dataDir: string,
  cause: unknown,
): StartOutcome {
  if (/Address already in use/.test(log)) {
    const failure = portInUse(port, 'HERALD_POSTGRES_PORT', 'the embedded PostgreSQL');
    return { failure, retry: 'another port' };
  }
  const lines = log.split('\n').filter((line) => /FATAL:|PANIC:|^postgres: /.test(line));
  const reason =
    diskFullIn(log) ??
    lines.at(-1)?.replace(/^(?:.*?(?:FATAL|PANIC)|postgres):\s*/, '') ??
    (cause as Error).message;
  const failure = new SetupError(
    `The embedded PostgreSQL did not start (${reason}); read its log ${logFile}, and if the data is damaged, ` +
      `restore ${dataDir} from a backup or delete it with \`npx herald reset\`.`,
    exitCodes.unavailable,
    { cause },
  );
  // The children of a killed server need a moment to exit.
  const dyingServer = /pre-existing shared memory block|lock file "postmaster.pid" already exists/.test(log);
  return { failure, retry: dyingServer ? 'later' : 'never' };
}

/**
 * Removes the pid file of a killed server. PostgreSQL ignores it if that process is gone, but not if the pid has been
 * reused, which is common in containers. This process holds the directory lock, so it may remove the file.
 */
async function clearPostmasterFile(directory: string): Promise<void> {
  const file = path.join(directory, 'postmaster.pid');
  const content = await readFile(file, 'utf8').catch(() => null);
  if (content === null || process.platform !== 'linux') return;
  const identity = identifyProcess(Number(content.split('\n')[0]));
  const commandLine = identity && (await readFile(`/proc/${identity.pid}/cmdline`, 'utf8').catch(() => null));
  if (identity && commandLine?.split('\0').includes(directory)) {
    await stopRecordedChild({ name: 'PostgreSQL server', ...identity, ...stopSignals });
    return;
  }
  await rm(file, { force: true });
}

function connectionUrl(password: string, port: number, name: string): string {
  return `postgres://herald:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`;
}
