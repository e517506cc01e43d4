import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Pool } from 'pg';
import { migrate } from '../../src/base/db/migrate';
import { openDataDir, type DataDir } from '../../src/local/data-dir';
import { startPostgres, type RunningPostgres } from '../../src/local/postgres';
import { SetupError } from '../../src/local/setup-error';
import { findTemporalCli } from '../../src/local/temporal/cli';
import { startTemporalServer, type RunningTemporalServer } from '../../src/local/temporal/server';
import { packageRoot } from '../../src/base/lib/package-root';
import { searchAttributeTypes } from '../../src/base/temporal/names';
import { templateDatabase } from './database';
import { startResidents } from './residents';

const directoryPrefix = 'herald-test-';

/** `stopTestServers` is for the teardown, which jest runs in the same process. */
export interface TestServers {
  stopTestServers?: () => Promise<void>;
}

/** Builds what has changed, and starts one PostgreSQL and one Temporal server for the whole run. */
export default async function globalSetup(): Promise<void> {
  await removeKilledRuns();
  const directory = await mkdtemp(path.join(tmpdir(), directoryPrefix));
  // As root, PostgreSQL runs as another user, who must be able to traverse the directory.
  await chmod(directory, 0o711);
  const dataDir = await openDataDir(path.join(directory, 'data'));
  const running: { stop(): Promise<void> }[] = [];

  let starting: Promise<unknown> = Promise.resolve();
  let stopped: Promise<void> | undefined;
  // An interrupt waits for the start to finish, because a server that is still starting cannot be stopped.
  const stop = () => (stopped ??= starting.then(() => stopAll(running, dataDir, directory)));
  (globalThis as TestServers).stopTestServers = stop;
  stopOnSignal(stop);

  try {
    const remember = <T extends { stop(): Promise<void> }>(server: T): T => {
      running.push(server);
      return server;
    };
    const results = Promise.allSettled([
      startDatabase(dataDir, remember),
      startTemporal(dataDir, remember),
      build(),
    ]);
    starting = results;
    for (const result of await results) {
      if (result.status === 'rejected') throw result.reason;
    }
    process.env['HERALD_TEST_WORKFLOW_BUNDLE'] = path.join(packageRoot, 'dist', 'workflow-bundle.js');
    const residents = await startResidents(dataDir, {
      databaseUrl: required('HERALD_TEST_DATABASE_URL'),
      temporalAddress: required('HERALD_TEST_TEMPORAL_ADDRESS'),
    });
    remember(residents);
    process.env['HERALD_TEST_RESIDENTS'] = residents.url;
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Stops the servers of killed test runs by opening their data directories, which fails while a run is alive. */
async function removeKilledRuns(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(directoryPrefix));
  for (const name of names) {
    const directory = path.join(tmpdir(), name);
    // Without this file the run may just be starting.
    if (!existsSync(path.join(directory, 'data', 'children.json'))) continue;
    try {
      await (await openDataDir(path.join(directory, 'data'))).close();
      await rm(directory, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof SetupError)) throw error;
    }
  }
}

/** Many tests run the built code: the resident services, and those that start a process. */
async function build(): Promise<void> {
  const script = path.join(packageRoot, 'bin', 'build.js');
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 2, 2] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('the build failed');
}

async function startDatabase(
  dataDir: DataDir,
  remember: (server: RunningPostgres) => RunningPostgres,
): Promise<void> {
  const postgres = remember(
    await startPostgres({
      dataDir,
      port: 0,
      // No durability is needed, and every test clones a database.
      settings: {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        max_connections: '300',
        // Whose statement it is: the test of the plans reads the log.
        log_line_prefix: '%d ',
      },
    }),
  );
  await createTemplate(postgres.url);
  process.env['HERALD_TEST_DATABASE_URL'] = postgres.url;
  process.env['HERALD_TEST_POSTGRES_LOG'] = dataDir.file('logs', 'postgres.log');
}

/** Tests clone this database instead of migrating each time. */
async function createTemplate(adminUrl: string): Promise<void> {
  const admin = new Client({ connectionString: adminUrl });
  await admin.connect();
  try {
    await admin.query(`CREATE DATABASE ${templateDatabase}`);
    const url = new URL(adminUrl);
    url.pathname = `/${templateDatabase}`;
    const pool = new Pool({ connectionString: url.href, max: 2 });
    try {
      await migrate(pool);
    } finally {
      await pool.end();
    }
  } finally {
    await admin.end();
  }
}

async function startTemporal(
  dataDir: DataDir,
  remember: (server: RunningTemporalServer) => RunningTemporalServer,
): Promise<void> {
  const cliPath = await findTemporalCli({
    configured: process.env['HERALD_TEMPORAL_CLI'],
    onProgress: (message) => process.stderr.write(`${message}\n`),
  });
  const temporal = remember(
    await startTemporalServer({
      cliPath,
      dataDir,
      port: 0,
      uiPort: process.env['HERALD_TEST_TEMPORAL_UI'] ? 0 : null,
      dbFile: null,
      searchAttributes: searchAttributeTypes,
    }),
  );
  process.env['HERALD_TEST_TEMPORAL_ADDRESS'] = temporal.address;
  if (temporal.uiUrl) process.env['HERALD_TEST_TEMPORAL_UI_URL'] = temporal.uiUrl;
}

async function stopAll(
  running: { stop(): Promise<void> }[],
  dataDir: DataDir,
  directory: string,
): Promise<void> {
  // In reverse order: what uses the servers stops before them.
  for (const server of running.toReversed()) await server.stop();
  await dataDir.close();
  await rm(directory, { recursive: true, force: true });
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing`);
  return value;
}

/** On a signal jest exits immediately without running the teardown. */
function stopOnSignal(stop: () => Promise<void>): void {
  for (const [signal, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      void stop().finally(() => process.exit(exitCode));
    });
  }
}
