import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, renameSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess, isRunning, type ProcessIdentity } from './process-identity';

/** The record of a child in the data directory, so that a later start can stop it with the right signals. */
export interface ChildRecord extends ProcessIdentity {
  name: string;
  stopSignal: NodeJS.Signals;
  forceSignal: NodeJS.Signals;
}

export interface ChildExit {
  name: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  logFile: string;
}

/** Records running children on disk, so that the records survive this process. */
export interface ChildRegistry {
  recordChild(child: ChildRecord): void;
  forgetChild(pid: number): void;
}

interface ChildOptions {
  name: string;
  command: string;
  args: string[];
  cwd: string;
  env?: NodeJS.ProcessEnv;
  uid?: number | undefined;
  gid?: number | undefined;
  logFile: string;
  stopSignal: NodeJS.Signals;
  forceSignal: NodeJS.Signals;
  registry: ChildRegistry;
  /** Called when the child exits without having been stopped. */
  onExit?: ((exit: ChildExit) => void) | undefined;
}

export interface Child {
  pid: number;
  exited: Promise<ChildExit>;
  hasExited(): boolean;
  stop(): Promise<void>;
}

const stopGraceMs = 10_000;
const killGraceMs = 5_000;
const logRotationBytes = 10 * 1024 * 1024;

/**
 * Starts a server in its own process group: Ctrl-C in the terminal must reach only this process, which stops the
 * database last. The output goes to a file, to which a child can keep writing after this process has died.
 */
export function startChild(options: ChildOptions): Child {
  const log = openLog(options.logFile);
  const child = withPrivateFiles(() =>
    spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env ?? process.env,
      detached: true,
      stdio: ['ignore', log, log],
      ...(options.uid === undefined ? {} : { uid: options.uid }),
      ...(options.gid === undefined ? {} : { gid: options.gid }),
    }),
  );
  closeSync(log);

  const { pid } = child;
  let exit: ChildExit | undefined;
  let stopping = false;
  const exited = new Promise<ChildExit>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      exit = { name: options.name, code, signal, logFile: options.logFile };
      if (pid !== undefined) options.registry.forgetChild(pid);
      if (!stopping) options.onExit?.(exit);
      resolve(exit);
    });
  });
  // A failed spawn rejects `exited`; avoid an unhandled rejection if nothing awaits it yet.
  exited.catch(() => undefined);
  if (pid === undefined) {
    return { pid: -1, exited, hasExited: () => true, stop: () => Promise.resolve() };
  }

  const record: ChildRecord = {
    name: options.name,
    ...(identifyProcess(pid) ?? { pid, startedAt: null }),
    stopSignal: options.stopSignal,
    forceSignal: options.forceSignal,
  };
  options.registry.recordChild(record);

  return {
    pid,
    exited,
    hasExited: () => exit !== undefined,
    stop: async () => {
      stopping = true;
      if (exit === undefined) await signalUntilGone(record, () => exit === undefined);
      await exited;
    },
  };
}

/** Files of a child that is started in `start` are readable by its own user only: `spawn` has no option for the umask. */
function withPrivateFiles<T>(start: () => T): T {
  const own = process.umask(0o077);
  try {
    return start();
  } finally {
    process.umask(own);
  }
}

/** Stops a child left running by an earlier process; returns false if it is not running. */
export async function stopRecordedChild(record: ChildRecord): Promise<boolean> {
  if (!isRunning(record)) return false;
  await signalUntilGone(record, () => isRunning(record));
  return true;
}

/** Sends the child's stop signal, then its force signal, then SIGKILL. */
async function signalUntilGone(record: ChildRecord, running: () => boolean): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    [record.stopSignal, stopGraceMs],
    [record.forceSignal, killGraceMs],
    ['SIGKILL', killGraceMs],
  ];
  for (const [signal, graceMs] of steps) {
    if (!running()) return;
    if (!sendSignal(record.pid, signal)) return;
    const deadline = Date.now() + graceMs;
    while (running() && Date.now() < deadline) await sleep(25);
  }
}

/** Returns false if the process no longer exists. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

/** Opens for appending, and rotates a large log so that it cannot fill the disk. */
function openLog(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > logRotationBytes) renameSync(file, `${file}.old`);
  return openSync(file, 'a', 0o600);
}

/** Throws if the child has exited. */
export async function requireRunning(child: Child): Promise<void> {
  if (!child.hasExited()) return;
  const { code, signal } = await child.exited;
  throw new Error(`it exited with ${signal ?? `code ${code}`}`);
}

/** The log from an offset on, to find why a child exited early. */
export async function readLogFrom(file: string, offset: number): Promise<string> {
  const content = await readFile(file).catch(() => Buffer.alloc(0));
  return content.subarray(offset <= content.length ? offset : 0).toString('utf8');
}

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
