import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identifyProcess, isRunning, ownIdentity, type ProcessIdentity } from './process-identity';

export interface Lock {
  release(): Promise<void>;
}

export type LockResult = { lock: Lock } | { heldBy: number };

/**
 * Acquires the lock in `directory`, or returns the pid of its holder. A dead holder does not count.
 *
 * Node has no flock, and "remove the stale file, then create mine" lets two processes remove each other's file. So each
 * holder creates the next numbered file, the highest number wins, and that file is never removed: a process that acted
 * on an old listing finds its number taken or a higher one.
 */
export async function acquireLock(directory: string): Promise<LockResult> {
  await mkdir(directory, { recursive: true });
  const draft = path.join(directory, `draft-${randomUUID()}`);
  try {
    await writeFile(draft, JSON.stringify(ownIdentity()));
    for (;;) {
      const highest = Math.max(0, ...(await generations(directory)));
      const holder = highest > 0 ? await readHolder(holderFile(directory, highest)) : null;
      if (holder && isRunning(holder)) return { heldBy: holder.pid };

      const mine = highest + 1;
      if (!(await linkIfAbsent(draft, holderFile(directory, mine)))) continue;
      const now = await generations(directory);
      if (Math.max(...now) > mine) {
        await rm(holderFile(directory, mine), { force: true });
        continue;
      }
      for (const old of now) {
        if (old < mine) await rm(holderFile(directory, old), { force: true });
      }
      await sweepDrafts(directory);
      return { lock: { release: () => release(directory, mine) } };
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function release(directory: string, generation: number): Promise<void> {
  const draft = path.join(directory, `draft-${randomUUID()}`);
  try {
    await writeFile(draft, JSON.stringify(null));
    await rename(draft, holderFile(directory, generation));
  } catch (error) {
    await rm(draft, { force: true });
    // The directory was removed together with the data it protects.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function holderFile(directory: string, generation: number): string {
  return path.join(directory, `holder-${generation}.json`);
}

async function generations(directory: string): Promise<number[]> {
  const names = await readdir(directory);
  return names.flatMap((name) => {
    const match = /^holder-(\d+)\.json$/.exec(name);
    return match ? [Number(match[1])] : [];
  });
}

/** Holder files are created atomically (by link or rename), so an unreadable one was damaged from outside. */
async function readHolder(file: string): Promise<ProcessIdentity | null> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    return isIdentity(value) ? value : null;
  } catch {
    return null;
  }
}

function isIdentity(value: unknown): value is ProcessIdentity {
  return typeof value === 'object' && value !== null && Number.isInteger((value as ProcessIdentity).pid);
}

async function linkIfAbsent(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes drafts of processes that were killed while acquiring the lock. */
async function sweepDrafts(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (!name.startsWith('draft-')) continue;
    const writer = await readHolder(path.join(directory, name));
    if (writer && identifyProcess(writer.pid) === null) await rm(path.join(directory, name), { force: true });
  }
}
