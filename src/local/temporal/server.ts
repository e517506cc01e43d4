import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { freePort } from '../../base/lib/ports';
import {
  logSize,
  readLogFrom,
  requireRunning,
  startChild,
  type Child,
  type ChildExit,
} from '../child-process';
import { registerSearchAttributes } from '../../base/temporal/search-attributes';
import type { DataDir } from '../data-dir';
import { diskFullIn } from '../disk-full';
import { portInUse, requireFreePort } from '../ports';
import { exitCodes, SetupError } from '../setup-error';

type SearchAttributeType = 'Keyword' | 'Int' | 'Datetime';

export interface TemporalServerOptions {
  cliPath: string;
  dataDir: DataDir;
  /** 0 means any free port. */
  port: number;
  /** 0 means any free port; null runs without the web UI. */
  uiPort: number | null;
  /** A file name in the data directory; null keeps everything in memory. */
  dbFile: string | null;
  searchAttributes: Record<string, SearchAttributeType>;
  onProgress?: (message: string) => void;
  /** Aborts the start; what has been started is stopped again. */
  signal?: AbortSignal;
  /** Called when the server exits without having been stopped. */
  onExit?: (exit: ChildExit) => void;
  /** Called when its process runs: it is not ready yet. */
  onLaunched?: (() => void) | undefined;
}

export interface RunningTemporalServer {
  address: string;
  uiUrl: string | null;
  port: number;
  uiPort: number | null;
  pid: number;
  stop(): Promise<void>;
}

interface Ports {
  frontend: number;
  ui: number | null;
  http: number;
  metrics: number;
}

const host = '127.0.0.1';
const namespace = 'default';
const readyTimeoutMs = 60_000;
const maxStarts = 5;
/** Characters of the server's reason for a failed start. */
const LONGEST_REASON = 300;
/** The development server's default is one day; operators look further back. */
const retention = '30 days';

/**
 * One partition saves a hop between partitions; eager activities save one between server and worker. A timer of less than a
 * second would fire up to a second late: the time shift is for servers whose clocks differ, and this one is alone.
 */
const localDynamicConfig: Record<string, unknown> = {
  'history.timerProcessorMaxTimeShift': '10ms',
  'system.enableActivityEagerExecution': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
};

export async function startTemporalServer(options: TemporalServerOptions): Promise<RunningTemporalServer> {
  const { port, uiPort, onProgress = () => undefined } = options;
  if (port !== 0) await requireFreePort(port, 'HERALD_TEMPORAL_PORT', 'the Temporal server');
  if (uiPort) await requireFreePort(uiPort, 'HERALD_TEMPORAL_UI_PORT', 'the Temporal UI');
  onProgress('starting the Temporal server');
  const store = options.dbFile === null ? null : options.dataDir.file(options.dbFile);
  if (store !== null) await prepareStore(store);
  for (let start = 1; ; start++) {
    const outcome = await tryStart(options, await choosePorts(port, uiPort));
    if ('running' in outcome) {
      if (store !== null) await rm(draftMark(store), { force: true });
      return outcome.running;
    }
    // Another process may have taken a chosen port meanwhile, so choose again.
    if (!outcome.mayRetry || start === maxStarts) throw outcome.failure;
  }
}

/** Beside a store whose first start has not come to its end. */
const draftMark = (store: string) => `${store}.draft`;

/**
 * The server makes its store in several steps, and refuses one that a full disk or a kill left half made. Such a store holds
 * nothing yet, so it is made anew.
 */
async function prepareStore(store: string): Promise<void> {
  if (existsSync(draftMark(store))) {
    for (const end of ['', '-journal', '-wal', '-shm']) await rm(`${store}${end}`, { force: true });
  }
  if (!existsSync(store)) await writeFile(draftMark(store), '', { mode: 0o600 });
}

async function choosePorts(port: number, uiPort: number | null): Promise<Ports> {
  return {
    frontend: port === 0 ? await freePort() : port,
    ui: uiPort === 0 ? await freePort() : uiPort,
    http: await freePort(),
    metrics: await freePort(),
  };
}

type FailedStart = { failure: SetupError; mayRetry: boolean };
type StartOutcome = { running: RunningTemporalServer } | FailedStart;

async function tryStart(options: TemporalServerOptions, ports: Ports): Promise<StartOutcome> {
  const logFile = options.dataDir.file('logs', 'temporal.log');
  const logStart = logSize(logFile);
  const server = { started: false, exited: false };
  const child = startChild({
    name: 'Temporal server',
    command: options.cliPath,
    args: serverArguments(options, ports),
    cwd: options.dataDir.path,
    env: serverEnvironment(),
    logFile,
    stopSignal: 'SIGTERM',
    forceSignal: 'SIGKILL',
    registry: options.dataDir,
    onExit: (exit) => {
      server.exited = true;
      if (server.started) options.onExit?.(exit);
    },
  });
  options.onLaunched?.();
  const address = `${host}:${ports.frontend}`;
  try {
    await waitUntilReady(child, address, options);
  } catch (error) {
    const hasExited = server.exited;
    await child.stop().catch(() => undefined);
    options.signal?.throwIfAborted();
    const log = await readLogFrom(logFile, logStart);
    const outcome = explainFailure(
      log,
      logFile,
      ports,
      options.dbFile && options.dataDir.file(options.dbFile),
      error,
    );
    // Seen once, on a busy machine: it exits without a message. One that does not answer in time is not started again.
    return hasExited && log.trim() === '' ? { ...outcome, mayRetry: true } : outcome;
  }
  server.started = true;
  return {
    running: {
      address,
      uiUrl: ports.ui === null ? null : `http://${host}:${ports.ui}`,
      port: ports.frontend,
      uiPort: ports.ui,
      pid: child.pid,
      stop: () => child.stop(),
    },
  };
}

function serverArguments(options: TemporalServerOptions, ports: Ports): string[] {
  return [
    ...['server', 'start-dev', '--ip', host, '--port', String(ports.frontend)],
    ...['--http-port', String(ports.http), '--metrics-port', String(ports.metrics)],
    ...(ports.ui === null ? ['--headless'] : ['--ui-ip', host, '--ui-port', String(ports.ui)]),
    ...(options.dbFile === null ? [] : ['--db-filename', options.dataDir.file(options.dbFile)]),
    ...['--namespace', namespace, '--log-level', 'warn', '--log-format', 'json'],
    ...Object.entries(options.searchAttributes).flatMap(([name, type]) => [
      '--search-attribute',
      `${name}=${type}`,
    ]),
    ...Object.entries(localDynamicConfig).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${JSON.stringify(value)}`,
    ]),
  ];
}

/** TEMPORAL_* variables are meant for clients of other servers. */
function serverEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TEMPORAL_')));
}

/** Ready means that the server responds, its namespace exists, and queries by search attributes work. */
async function waitUntilReady(
  child: Child,
  address: string,
  { searchAttributes, signal }: TemporalServerOptions,
): Promise<void> {
  const deadline = Date.now() + readyTimeoutMs;
  const untilReady = async <T>(step: () => Promise<T>): Promise<T> => {
    for (;;) {
      await requireRunning(child);
      signal?.throwIfAborted();
      try {
        return await step();
      } catch (error) {
        if (Date.now() > deadline) throw error;
      }
      await Promise.race([child.exited, sleep(50)]);
    }
  };
  const connection = await untilReady(() => Connection.connect({ address, connectTimeout: 2_000 }));
  try {
    const { workflowService } = connection;
    await untilReady(() => workflowService.describeNamespace({ namespace }));
    await untilReady(() =>
      workflowService.updateNamespace({
        namespace,
        config: { workflowExecutionRetentionTtl: msToTs(retention) },
      }),
    );
    // The server registers them only with a new namespace; that of an earlier version lacks newer ones.
    const client = new Client({ connection, namespace });
    await untilReady(() => registerSearchAttributes(client, namespace));
    const query = Object.keys(searchAttributes)
      .map((name) => `${name} IS NULL`)
      .join(' AND ');
    await untilReady(() => workflowService.countWorkflowExecutions({ namespace, query }));
  } finally {
    await connection.close();
  }
  await requireRunning(child);
}

function explainFailure(
  log: string,
  logFile: string,
  ports: Ports,
  dbFile: string | null,
  cause: unknown,
): FailedStart {
  const whole = diskFullIn(log) ?? lastMessage(log) ?? (cause as Error).message;
  // The server names every step that led to the cause, which comes last.
  const reason = whole.length > LONGEST_REASON ? `…${whole.slice(-LONGEST_REASON)}` : whole;
  if (reason.includes('address already in use')) {
    const failure =
      ports.ui !== null && reason.includes('UI port')
        ? portInUse(ports.ui, 'HERALD_TEMPORAL_UI_PORT', 'the Temporal UI')
        : portInUse(ports.frontend, 'HERALD_TEMPORAL_PORT', 'the Temporal server');
    return { failure, mayRetry: true };
  }
  const message =
    `The Temporal server did not start (${reason}); read its log ${logFile}` +
    (dbFile === null
      ? '.'
      : `, and if its data is damaged, delete ${dbFile}, start again, and run \`npx herald recover\`.`);
  return { failure: new SetupError(message, exitCodes.unavailable, { cause }), mayRetry: false };
}

/** The log has one JSON object per line, except for what it prints before reading its flags. */
function lastMessage(log: string): string | undefined {
  const line = log.trim().split('\n').at(-1);
  try {
    return (JSON.parse(line ?? '') as { msg?: string }).msg;
  } catch {
    return line === '' ? undefined : line;
  }
}
