import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { DataDir } from '../data-dir';
import type { PostgresBinaries } from './binaries';
import { grantPostgresAccess, choosePostgresUser, type PostgresUser } from './user';
import { exitCodes, SetupError } from '../setup-error';

const run = promisify(execFile);

/** A complete database cluster on disk, with the password of its superuser `herald`. */
export interface PostgresCluster {
  directory: string;
  password: string;
  user: PostgresUser;
}

const draftPrefix = 'postgres-draft-';

/**
 * Opens the data directory's cluster, or creates one. Creation ends with a rename, so an incomplete cluster is never
 * opened.
 */
export async function openCluster(
  dataDir: DataDir,
  binaries: PostgresBinaries,
  options: { durable: boolean; onProgress: (message: string) => void },
): Promise<PostgresCluster> {
  const home = dataDir.file('postgres');
  const directory = path.join(home, 'data');
  const ids = await choosePostgresUser(directory);
  if (!(await stat(directory).catch(() => null))) {
    options.onProgress('creating the database');
    await createCluster(dataDir, home, binaries, ids, options.durable);
  }
  await requireSameMajorVersion(directory, binaries.majorVersion);
  return {
    directory,
    password: await readPassword(home),
    user: await grantPostgresAccess(ids, binaries.postgres, directory),
  };
}

async function createCluster(
  dataDir: DataDir,
  home: string,
  binaries: PostgresBinaries,
  ids: { uid: number; gid: number } | null,
  durable: boolean,
): Promise<void> {
  await removeDrafts(dataDir.path);
  await rm(home, { recursive: true, force: true });
  const draft = await mkdtemp(dataDir.file(draftPrefix));
  try {
    // The database user may only traverse this directory, not read the password in it.
    await chmod(draft, ids === null ? 0o700 : 0o711);
    const directory = path.join(draft, 'data');
    await mkdir(directory, { mode: 0o700 });
    const password = randomBytes(24).toString('base64url');
    await writeFile(path.join(draft, 'password'), `${password}\n`, { mode: 0o600 });
    // initdb reads its own copy as the database user, and needs its data directory to be empty.
    const passwordForInitdb = path.join(draft, 'initdb-password');
    await writeFile(passwordForInitdb, `${password}\n`, { mode: 0o600 });
    if (ids !== null) {
      await chown(directory, ids.uid, ids.gid);
      await chown(passwordForInitdb, ids.uid, ids.gid);
    }
    const user = await grantPostgresAccess(ids, binaries.postgres, directory);
    await initdb(binaries.initdb, user, directory, passwordForInitdb, durable);
    await rm(passwordForInitdb);
    await rename(draft, home);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

async function initdb(
  binary: string,
  user: PostgresUser,
  directory: string,
  passwordFile: string,
  durable: boolean,
): Promise<void> {
  const { command, args } = user.wrap(binary, [
    `--pgdata=${directory}`,
    '--username=herald',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // Sorts the same on every machine, regardless of installed locales.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...(durable ? [] : ['--no-sync']),
  ]);
  try {
    await run(command, args, {
      cwd: '/',
      env: postgresEnvironment(),
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.gid === undefined ? {} : { gid: user.gid }),
    });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const line = (stderr ?? '').split('\n').find((each) => /error:|FATAL:|PANIC:/.test(each));
    const reason = line?.replace(/^.*?(?:error|FATAL|PANIC):\s*/, '').trim() ?? (error as Error).message;
    throw new SetupError(
      `The embedded PostgreSQL could not create its database (${reason}); ` +
        'fix the cause, or set DATABASE_URL to your own PostgreSQL server.',
      exitCodes.unavailable,
      { cause: error },
    );
  }
}

/** PG* variables are meant for clients of other servers, and PGDATA would redirect ours. */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith('PG'));
  return { ...Object.fromEntries(entries), LC_ALL: 'C', TZ: 'UTC' };
}

async function removeDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(draftPrefix)) await rm(path.join(directory, name), { recursive: true, force: true });
  }
}

async function requireSameMajorVersion(directory: string, installed: string): Promise<void> {
  const version = await readFile(path.join(directory, 'PG_VERSION'), 'utf8').catch(() => null);
  if (version === null) {
    throw new SetupError(
      `The database in ${directory} is damaged (it has no PG_VERSION); restore it, or remove ${path.dirname(directory)} ` +
        'to start with an empty one.',
    );
  }
  if (version.trim() === installed) return;
  throw new SetupError(
    `The database in ${directory} was created by PostgreSQL ${version.trim()}, but the embedded server is ${installed}: migrate ` +
      'the data with pg_dump, set HERALD_DATA_DIR to another directory, or remove it to start with an empty one.',
    exitCodes.badSetting,
  );
}

async function readPassword(home: string): Promise<string> {
  try {
    return (await readFile(path.join(home, 'password'), 'utf8')).trim();
  } catch (error) {
    throw new SetupError(
      `The password of the embedded database cannot be read from ${path.join(home, 'password')} ` +
        `(${(error as NodeJS.ErrnoException).code}); restore that file, or remove ${home} to start with an empty database.`,
    );
  }
}
