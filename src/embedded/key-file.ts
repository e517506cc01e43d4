import { randomBytes } from 'node:crypto';
import { chmod, open, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { encryptionKeyList } from '../config';
import type { EncryptionKey } from '../lib/cipher';
import { SetupError } from './setup-error';

/** Development's keys, kept beside the data that they protect, in the form of HERALD_ENCRYPTION_KEY. */
export function keyFile(dataDirectory: string): string {
  return path.join(dataDirectory, 'encryption-key');
}

/** The keys of the data directory, newest first; a first one is made where there is none. */
export async function openKeyFile(dataDirectory: string): Promise<EncryptionKey[]> {
  const file = keyFile(dataDirectory);
  try {
    await writeFile(file, `${newKey()}\n`, { flag: 'wx', mode: 0o600 });
    await chmod(file, 0o600);
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  }
  return readKeyFile(dataDirectory);
}

export async function readKeyFile(dataDirectory: string): Promise<EncryptionKey[]> {
  const file = keyFile(dataDirectory);
  const keys = encryptionKeyList.safeParse((await readFile(file, 'utf8')).trim());
  if (keys.success) return keys.data;
  throw new SetupError(`The file ${file} contains no encryption key: restore it from a backup.`);
}

/** Puts a new key before the old ones, whole or not at all, and on the disk before it is used. Answers its id. */
export async function addKeyToFile(dataDirectory: string): Promise<string> {
  const kept = await readKeyFile(dataDirectory);
  const newest = Math.max(...kept.map(({ id }) => Number(/^k(\d+)$/.exec(id)?.[1] ?? 0)));
  const id = `k${newest + 1}`;
  const entries = [
    `${id}:${newKey()}`,
    ...kept.map((entry) => `${entry.id}:${entry.key.toString('base64')}`),
  ];
  const file = keyFile(dataDirectory);
  const draft = `${file}.${process.pid}.tmp`;
  await writeFile(draft, `${entries.join(',')}\n`, { mode: 0o600, flush: true });
  await rename(draft, file);
  await syncDirectory(dataDirectory);
  return id;
}

/** A rename is durable once its directory is. */
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
