import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../../src/base/lib/package-root';
import { stablePort } from '../support/stable-port';
import { findPgBouncer } from './binaries';
import { startChild } from './child';
import type { PostgresPair } from './postgres';

export interface PgBouncer {
  url: string;
  /** It keeps statements that are prepared by name. */
  prepares: boolean;
  pid: number;
  stop(): Promise<void>;
}

/** PgBouncer with the settings that ops/pgbouncer documents; only addresses and authentication are those of the test. */
export async function startPgBouncer(directory: string, postgres: PostgresPair): Promise<PgBouncer> {
  const port = await stablePort();
  const { file: command, prepares } = findPgBouncer();
  const documented = await readFile(path.join(packageRoot, 'ops', 'pgbouncer', 'pgbouncer.ini'), 'utf8');
  const server = new URL(postgres.url('herald'));
  const own: Record<string, string> = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    // The test has one user, whose password stands beside the database.
    auth_type: 'any',
    auth_file: '',
    pidfile: '',
    logfile: '',
    unix_socket_dir: '',
  };
  const settings = documented
    .replace(/^;(max_prepared_statements = .*)/m, (line, setting: string) => (prepares ? setting : line))
    .replace(/^herald = host=\S+ port=\S+/m, () =>
      [
        `herald = host=${server.hostname} port=${server.port}`,
        `user=herald password=${server.password}`,
      ].join(' '),
    )
    .split('\n')
    .filter((line) => !((line.split('=')[0] ?? '').trim() in own))
    .concat(Object.entries(own).flatMap(([name, value]) => (value === '' ? [] : [`${name} = ${value}`])));
  const file = path.join(directory, 'pgbouncer.ini');
  await writeFile(file, `${settings.join('\n')}\n`);
  await chmod(file, 0o644);
  const child = startChild({
    command,
    args: [file],
    logFile: path.join(directory, 'pgbouncer.log'),
    as: postgres.owner,
  });
  return {
    url: `postgres://herald:any@127.0.0.1:${port}/herald`,
    prepares,
    pid: child.pid,
    stop: () => child.end('SIGINT'),
  };
}
