import { readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { stopRecordedChild, type ChildRecord, type ChildRegistry } from './child-process';
import { acquireLock, type LockResult } from './lock';
import { isRunning, ownIdentity, type ProcessIdentity } from './process-identity';
import { exitCodes, SetupError } from './setup-error';
import { writeJson } from './write-json';

/** The data directory of the embedded servers, locked by one running service at a time. */
export interface DataDir extends ChildRegistry {
  path: string;
  file(...names: string[]): string;
  /** Releases the directory for the next start; call it after the children have stopped. */
  close(): Promise<void>;
}

/** Locks the directory and stops children that a killed process left running. */
export async function openDataDir(
  directory: string,
  onProgress: (message: string) => void = () => undefined,
): Promise<DataDir> {
  const root = path.resolve(directory);
  const result = await lockDirectory(root);
  if ('heldBy' in result) {
    throw new SetupError(
      `Herald is already running with the data directory ${root} (process ${result.heldBy}); ` +
        'stop it first, or set HERALD_DATA_DIR to another directory.',
      exitCodes.busy,
    );
  }
  const childrenFile = path.join(root, 'children.json');
  await stopLeftovers(childrenFile, onProgress);
  await clearRuntime(root);

  let children: ChildRecord[] = [];
  const save = () => writeJson(childrenFile, children);
  return {
    path: root,
    file: (...names) => path.join(root, ...names),
    recordChild(child) {
      children = [...children, child];
      save();
    },
    forgetChild(pid) {
      children = children.filter((child) => child.pid !== pid);
      save();
    },
    close: () => result.lock.release(),
  };
}

async function lockDirectory(root: string): Promise<LockResult> {
  // PostgreSQL refuses to run as root, so as root the directory must be traversable (but not listable) by its user.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  try {
    const created = await mkdir(root, { recursive: true, mode });
    if (created !== undefined) await chmod(root, mode);
    const lock = path.join(root, 'lock');
    await mkdir(lock, { recursive: true, mode: 0o700 });
    return await acquireLock(lock);
  } catch (error) {
    throw new SetupError(
      `The data directory ${root} cannot be used (${(error as Error).message}); ` +
        'set HERALD_DATA_DIR to a writable directory.',
      exitCodes.badSetting,
      { cause: error },
    );
  }
}

async function stopLeftovers(childrenFile: string, onProgress: (message: string) => void): Promise<void> {
  const records = readJson(childrenFile);
  if (!Array.isArray(records)) return;
  // In reverse start order, so the database stops last.
  for (const record of (records as ChildRecord[]).toReversed()) {
    if (!isRunning(record)) continue;
    onProgress(`stopping the ${record.name} left over from an earlier run (process ${record.pid})`);
    await stopRecordedChild(record);
  }
  await rm(childrenFile, { force: true });
}

/** Information about the running service for the CLI. */
export type RuntimeRecord = Record<string, unknown> & ProcessIdentity;

export function writeRuntime(directory: string, record: Record<string, unknown>): void {
  writeJson(runtimeFile(directory), { ...record, ...ownIdentity() });
}

/** The record of the running service; null if none is running, even if a killed one left its record. */
export async function readRuntime(directory: string): Promise<RuntimeRecord | null> {
  const content = await readFile(runtimeFile(directory), 'utf8').catch(() => null);
  if (content === null) return null;
  try {
    const record = JSON.parse(content) as RuntimeRecord;
    return isRunning(record) ? record : null;
  } catch {
    return null;
  }
}

export async function clearRuntime(directory: string): Promise<void> {
  await rm(runtimeFile(directory), { force: true });
}

function runtimeFile(directory: string): string {
  return path.resolve(directory, 'runtime.json');
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
}
