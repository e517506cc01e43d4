import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { findPostgresBinaries, type PostgresBinaries } from '../../src/local/postgres/binaries';

const run = promisify(execFile);

/** The Temporal server whose services run as separate processes, unlike those of the CLI's development server. */
export const TEMPORAL_VERSION = '1.32.1';

export interface TemporalBinaries {
  server: string;
  sqlTool: string;
}

/** Built with Go once, and kept in the cache of the user. */
export async function findTemporalServer(onProgress: (message: string) => void): Promise<TemporalBinaries> {
  const directory = path.join(
    process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'),
    'herald',
    `temporal-server-${TEMPORAL_VERSION}`,
  );
  const binaries = { server: path.join(directory, 'server'), sqlTool: path.join(directory, 'sql') };
  for (const [file, command] of [
    [binaries.server, 'cmd/server'],
    [binaries.sqlTool, 'cmd/tools/sql'],
  ] as const) {
    if (existsSync(file)) continue;
    onProgress(`building ${command} of Temporal ${TEMPORAL_VERSION} with Go; once, about eight minutes`);
    await mkdir(directory, { recursive: true });
    await run('go', ['install', `go.temporal.io/server/${command}@v${TEMPORAL_VERSION}`], {
      cwd: directory,
      env: { ...process.env, GOBIN: directory, GOFLAGS: '-buildvcs=false' },
      maxBuffer: 2 ** 26,
    }).catch((error: Error) => {
      throw new Error(`could not build ${command}: install Go 1.26 or newer (${error.message.slice(-300)})`);
    });
  }
  return binaries;
}

/** 18: the embedded one. Others: a package of the system, as Debian's postgresql-15. */
export async function findPostgres(major: string): Promise<PostgresBinaries> {
  const embedded = await findPostgresBinaries();
  if (embedded.majorVersion === major) return embedded;
  const directory = `/usr/lib/postgresql/${major}/bin`;
  if (!existsSync(path.join(directory, 'postgres'))) {
    throw new Error(`there is no PostgreSQL ${major}: apt-get install postgresql-${major}`);
  }
  return {
    initdb: path.join(directory, 'initdb'),
    postgres: path.join(directory, 'postgres'),
    majorVersion: major,
  };
}

/** One that was installed by hand is newer than that of the distribution. */
export function findPgBouncer(): { file: string; prepares: boolean } {
  const file = ['/usr/local/bin/pgbouncer', '/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((each) =>
    existsSync(each),
  );
  if (file === undefined) throw new Error('there is no PgBouncer: apt-get install pgbouncer');
  const version = execFileSync(file, ['--version'], { encoding: 'utf8' });
  const [, minor] = /PgBouncer 1\.(\d+)/.exec(version) ?? [];
  return { file, prepares: Number(minor) >= 21 };
}
