import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, link, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { encryptionKeyList } from '../base/config';
import type { EncryptionKey } from '../base/lib/cipher';
import { exitCodes, SetupError } from './setup-error';

/** The encryption keys of the data directory, in the format of HERALD_ENCRYPTION_KEY. */
export function keyFile(dataDirectory: string): string {
  return path.join(dataDirectory, 'encryption-key');
}

/** Reads the keys, newest first; creates the first one if there is none. */
export async function openKeyFile(dataDirectory: string): Promise<EncryptionKey[]> {
  const file = keyFile(dataDirectory);
  const draft = `${file}.${process.pid}.tmp`;
  try {
    // A disk that is full would leave an empty file, which no start could use.
    await writeFile(draft, `${newKey()}\n`, { mode: 0o600 });
    await chmod(draft, 0o600);
    await link(draft, file);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return readKeyFile(dataDirectory);
}

/**
 * Creates the first key before there is a database. A database without its key is damaged: with a new one, the service would
 * start and could read no secret.
 */
export async function requireKeyFile(dataDirectory: string): Promise<void> {
  const file = keyFile(dataDirectory);
  const [hasKey, hasDatabase] = [file, path.join(dataDirectory, 'postgres')].map((each) => existsSync(each));
  if (!hasKey && hasDatabase) {
    throw new SetupError(
      `The file ${file} is missing, and the data beside it is encrypted with its key: restore it from a backup, set ` +
        'HERALD_ENCRYPTION_KEY to the key, or delete the data with `npx herald reset`.',
      exitCodes.badSetting,
    );
  }
  await openKeyFile(dataDirectory);
}

export async function readKeyFile(dataDirectory: string): Promise<EncryptionKey[]> {
  const file = keyFile(dataDirectory);
  const keys = encryptionKeyList.safeParse((await readFile(file, 'utf8')).trim());
  if (keys.success) return keys.data;
  throw new SetupError(
    `The file ${file} contains no encryption key: restore it from a backup, or delete the data with \`npx herald reset\`.`,
  );
}

/**
 * Adds a new key before the existing ones and returns its id. The write is atomic and durable before the key is used.
 */
export async function addKeyToFile(dataDirectory: string): Promise<string> {
  const existing = await readKeyFile(dataDirectory);
  const newest = Math.max(...existing.map(({ id }) => Number(/^k(\d+)$/.exec(id)?.[1] ?? 0)));
  const id = `k${newest + 1}`;
  const entries = [
    `${id}:${newKey()}`,
    ...existing.map((entry) => `${entry.id}:${entry.key.toString('base64')}`),
  ];
  const file = keyFile(dataDirectory);
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${entries.join(',')}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
  await syncDirectory(dataDirectory);
  return id;
}

/** A rename is durable only after its directory has been synced. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function newKey(): string {
  return randomBytes(32).toString('base64');
}
