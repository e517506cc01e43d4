import { execFile } from 'node:child_process';
import { chown, cp, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { PostgresBinaries } from '../../src/local/postgres/binaries';
import { choosePostgresUser, grantPostgresAccess, type PostgresUser } from '../../src/local/postgres/user';
import { eventually } from '../support/eventually';
import { stablePort } from '../support/stable-port';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy';
import { startChild, type Child } from './child';

const run = promisify(execFile);
const PASSWORD = 'cluster';

/** A primary with a synchronous streaming replica, behind one address. */
export interface PostgresPair {
  /** Past the address, which follows the primary. */
  port: number;
  address: TcpProxy;
  url(database: string): string;
  /** As a dead machine: the primary is killed, the replica promoted, and the address follows. Returns the seconds it took. */
  failOver(): Promise<number>;
  /** Of the servers that run. */
  pids(): number[];
  /** Of the user of the database, who owns the files. */
  owner: { uid: number | undefined; gid: number | undefined };
  stop(): Promise<void>;
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '300',
  shared_buffers: '256MB',
  wal_level: 'replica',
  max_wal_senders: '5',
  timezone: 'UTC',
  // A kill of the process loses nothing that the system has; the disk of the tests is slow.
  fsync: 'off',
};

export async function startPostgresPair(
  directory: string,
  binaries: PostgresBinaries,
): Promise<PostgresPair> {
  const first = path.join(directory, 'primary');
  const second = path.join(directory, 'replica');
  const ids = await choosePostgresUser(first);
  await mkdir(first, { mode: 0o700 });
  if (ids) await chown(first, ids.uid, ids.gid);
  const user = await grantPostgresAccess(ids, binaries.postgres, first);
  const passwordFile = path.join(directory, 'password');
  await writeFile(passwordFile, PASSWORD, { mode: 0o644 });
  await initialise(binaries, user, first, passwordFile);

  const ports = { primary: await stablePort(), replica: await stablePort() };
  const start = (data: string, port: number, more: Record<string, string>) =>
    startServer({ binaries, user, data, port, settings: { ...settings, ...more } });
  // The replica begins as a copy of the files of a server that is stopped.
  const empty = await start(first, ports.primary, {});
  await createDatabases(ports.primary, ['herald', 'temporal', 'temporal_visibility']);
  await empty.end('SIGINT');
  await cp(first, second, { recursive: true, preserveTimestamps: true });
  await run('chmod', ['700', second]);
  if (ids) await run('chown', ['-R', `${ids.uid}:${ids.gid}`, second]);
  await writeFile(path.join(second, 'standby.signal'), '');

  let primary: Child = await start(first, ports.primary, { synchronous_standby_names: '*' });
  const replica = await start(second, ports.replica, {
    primary_conninfo: `host=127.0.0.1 port=${ports.primary} user=herald password=${PASSWORD}`,
  });
  const address = await startTcpProxy(ports.primary);
  const urlAt = (port: number, database: string) =>
    `postgres://herald:${PASSWORD}@127.0.0.1:${port}/${database}`;
  // A commit waits for the replica from the first moment on that there is one.
  await eventually(async () => {
    const found = await query(urlAt(ports.primary, 'postgres'), 'SELECT sync_state FROM pg_stat_replication');
    return found.some((row) => row['sync_state'] === 'sync');
  }, 60_000);

  return {
    port: address.port,
    address,
    owner: { uid: user.uid, gid: user.gid },
    url: (database) => urlAt(address.port, database),
    async failOver() {
      const began = performance.now();
      await primary.end('SIGKILL');
      await address.close();
      await query(urlAt(ports.replica, 'postgres'), 'SELECT pg_promote(true, 60)');
      address.retarget(ports.replica);
      await address.open();
      primary = replica;
      return (performance.now() - began) / 1000;
    },
    pids: () => [...new Set([primary, replica])].filter((each) => !each.exited()).map(({ pid }) => pid),
    async stop() {
      await address.close();
      for (const server of new Set([primary, replica])) await server.end('SIGINT');
    },
  };
}

async function initialise(
  binaries: PostgresBinaries,
  user: PostgresUser,
  data: string,
  passwordFile: string,
): Promise<void> {
  const { command, args } = user.wrap(binaries.initdb, [
    `--pgdata=${data}`,
    '--username=herald',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ]);
  await run(command, args, {
    cwd: '/',
    ...(user.uid === undefined ? {} : { uid: user.uid }),
    ...(user.gid === undefined ? {} : { gid: user.gid }),
  });
}

async function startServer(options: {
  binaries: PostgresBinaries;
  user: PostgresUser;
  data: string;
  port: number;
  settings: Record<string, string>;
}): Promise<Child> {
  const { binaries, user, data, port } = options;
  const flags = Object.entries({ ...options.settings, port: String(port) }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const { command, args } = user.wrap(binaries.postgres, ['-D', data, ...flags]);
  const server = startChild({ command, args, logFile: `${data}.log`, as: user });
  await eventually(async () => {
    if (server.exited()) throw new Error(server.lastWords());
    await query(`postgres://herald:${PASSWORD}@127.0.0.1:${port}/postgres`, 'SELECT 1');
    return true;
  }, 60_000);
  return server;
}

async function createDatabases(port: number, names: string[]): Promise<void> {
  for (const name of names) {
    await query(`postgres://herald:${PASSWORD}@127.0.0.1:${port}/postgres`, `CREATE DATABASE ${name}`);
  }
}

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
