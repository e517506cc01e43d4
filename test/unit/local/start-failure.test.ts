import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keyFile, requireKeyFile } from '../../../src/local/key-file';
import { SetupError } from '../../../src/local/setup-error';
import { explainStartFailure } from '../../../src/process/run';

const embedded = { DATABASE_URL: undefined, HERALD_DATA_DIR: '/data/.herald' };
const external = { DATABASE_URL: 'postgres://db.example/herald', HERALD_DATA_DIR: '/data/.herald' };

const faultOf = (message: string, code?: string, cause?: unknown) =>
  Object.assign(new Error(message, { cause }), code === undefined ? {} : { code });

describe('a full disk', () => {
  test.each([
    ['a file of ours', faultOf('ENOSPC: no space left on device, write', 'ENOSPC')],
    ['a quota', faultOf('EDQUOT: disk quota exceeded, write', 'EDQUOT')],
    ['a statement', faultOf('could not extend file "base/16384/1249": No space left on device', '53100')],
    [
      'initdb',
      new SetupError(
        'could not create its database (could not write: No space left on device); fix the cause.',
      ),
    ],
    ['Temporal', new SetupError('did not start (database or disk is full (13)); read its log.')],
    ['a cause', faultOf('the start failed', undefined, faultOf('write failed', 'ENOSPC'))],
  ])('is named, with what to do, where it shows in %s', (_where, error) => {
    expect(explainStartFailure(error, embedded)?.message).toBe(
      'The disk with the data directory /data/.herald is full: free some space, or set HERALD_DATA_DIR to a directory on another disk.',
    );
  });

  test('of the database server is not that of the data directory', () => {
    const message = explainStartFailure(faultOf('could not extend file', '53100'), external)?.message;
    expect(message).toBe('The disk of the database server is full: free some space there, and start again.');
  });
});

test('a damaged embedded database leads to its data directory, a wrong DATABASE_URL to the setting', () => {
  const error = faultOf('database "herald" does not exist', '3D000');
  expect(explainStartFailure(error, embedded)?.message).toBe(
    'The embedded database cannot be used (database "herald" does not exist); restore /data/.herald from a backup or ' +
      'delete it with `npx herald reset`.',
  );
  expect(explainStartFailure(error, external)?.message).toMatch(/Check DATABASE_URL\.$/);
});

test('a fault of our own has no explanation', () => {
  expect(explainStartFailure(new TypeError('x is not a function'), embedded)).toBeNull();
});

describe('the encryption key of the data directory', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'herald-key-'));
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('is made once, before there is a database, and leaves no draft', async () => {
    await requireKeyFile(directory);
    await mkdir(path.join(directory, 'postgres'));
    await requireKeyFile(directory);
    expect(await readdir(directory)).toEqual(['encryption-key', 'postgres']);
  });

  test('that is missing beside a database is not replaced: the service could read no secret', async () => {
    await mkdir(path.join(directory, 'postgres'));
    await expect(requireKeyFile(directory)).rejects.toThrow(
      /encryption-key is missing.*restore it from a backup.*HERALD_ENCRYPTION_KEY.*npx herald reset/,
    );
    expect(existsSync(keyFile(directory))).toBe(false);
  });
});
