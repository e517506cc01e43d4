import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { SetupError } from '../setup-error';

const run = promisify(execFile);

/** How to run a PostgreSQL binary: as which user, and through which wrapper. */
export interface PostgresUser {
  uid: number | undefined;
  gid: number | undefined;
  wrap(command: string, args: string[]): { command: string; args: string[] };
}

const currentUser: PostgresUser = {
  uid: undefined,
  gid: undefined,
  wrap: (command, args) => ({ command, args }),
};

/**
 * PostgreSQL refuses to run as root, the usual user in containers. It then runs as the owner of the existing cluster,
 * as `postgres`, or as `nobody`.
 */
export async function choosePostgresUser(clusterDir: string): Promise<{ uid: number; gid: number } | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(clusterDir).catch(() => null);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  for (const name of ['postgres', 'nobody']) {
    const ids = await lookUp(name);
    if (ids) return ids;
  }
  throw new SetupError(
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody" to run it as; ' +
      'start Herald as another user, or set DATABASE_URL to your own PostgreSQL server.',
  );
}

/** Makes the binaries and the cluster accessible to that user, even below a closed /root. */
export async function grantPostgresAccess(
  ids: { uid: number; gid: number } | null,
  binary: string,
  clusterDir: string,
): Promise<PostgresUser> {
  if (ids === null) return currentUser;
  const plain: PostgresUser = { ...ids, wrap: (command, args) => ({ command, args }) };
  if (await canAccess(plain, binary, clusterDir)) return plain;
  const privileged = privilegedUser(ids);
  if (await canAccess(privileged, binary, clusterDir)) return privileged;
  throw new SetupError(
    `PostgreSQL does not run as root, and the user it runs as instead (uid ${ids.uid}) cannot reach ${clusterDir} or ` +
      `${binary}; move the checkout and HERALD_DATA_DIR to directories that it can read, ` +
      'or set DATABASE_URL to your own PostgreSQL server.',
  );
}

/** Grants one capability, dac_override, to traverse directories closed to others. */
function privilegedUser({ uid, gid }: { uid: number; gid: number }): PostgresUser {
  const grant = ['--inh-caps', '-all,+dac_override', '--ambient-caps', '-all,+dac_override'];
  return {
    uid: undefined,
    gid: undefined,
    wrap: (command, args) => ({
      command: 'setpriv',
      args: [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', ...grant, '--', command, ...args],
    }),
  };
}

async function canAccess(user: PostgresUser, binary: string, clusterDir: string): Promise<boolean> {
  const script = 'cd "$1" && test -w . && exec "$2" --version';
  const { command, args } = user.wrap('/bin/sh', ['-c', script, 'sh', clusterDir, binary]);
  try {
    await run(command, args, {
      cwd: '/',
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.gid === undefined ? {} : { gid: user.gid }),
    });
    return true;
  } catch {
    return false;
  }
}

async function lookUp(name: string): Promise<{ uid: number; gid: number } | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}
